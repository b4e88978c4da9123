/* Papergate frame protocol, version 1. Generated from the tables of firmware-protocol; docs/protocol.md explains it. */

#ifndef PAPERGATE_H
#define PAPERGATE_H

/* Topics of the native dialect: formats with the serial for %s */
#define PAPERGATE_TOPIC_HELLO "frames/1/%s/hello" /* the frame says it */
#define PAPERGATE_TOPIC_DESIRED "frames/1/%s/desired" /* the gateway says it */
#define PAPERGATE_TOPIC_REPORT "frames/1/%s/report" /* the frame says it */
#define PAPERGATE_TOPIC_COMMAND "frames/1/%s/command" /* the gateway says it */
#define PAPERGATE_TOPIC_REPLY "frames/1/%s/reply" /* the frame says it */
#define PAPERGATE_TOPIC_LOG "frames/1/%s/log" /* the frame says it */
#define PAPERGATE_TOPIC_UPDATE "frames/1/%s/update" /* the frame says it */
#define PAPERGATE_TOPIC_BYE "frames/1/%s/bye" /* the frame says it */

/* Topics of the classic dialect */
#define PAPERGATE_CLASSIC_TOPIC_RECEIVE "$aws/things/%s/epaper/receive" /* the gateway says it */
#define PAPERGATE_CLASSIC_TOPIC_ACTIVATE "$aws/things/%s/activateepaper" /* the frame says it */
#define PAPERGATE_CLASSIC_TOPIC_REQUEST "$aws/things/%s/epaper/getimageurl" /* the frame says it */
#define PAPERGATE_CLASSIC_TOPIC_STATE "$aws/things/%s/epaper/updatestate" /* the frame says it */

/* Limits */
#define PAPERGATE_LIMIT_PACKET_BYTES 4096 /* length field of an MQTT packet to the gateway */
#define PAPERGATE_LIMIT_NATIVE_MESSAGE_BYTES 1024 /* one JSON message */
#define PAPERGATE_LIMIT_CLASSIC_PACKET_BYTES 512 /* classic dialect: a whole MQTT packet to a frame */
#define PAPERGATE_LIMIT_CLASSIC_URL_CHARACTERS 49 /* classic dialect: prefix and path together */
#define PAPERGATE_LIMIT_FRAME_ID_CHARACTERS 64 /* a serial */
#define PAPERGATE_LIMIT_SUBSCRIPTIONS_PER_FRAME 4 /* in the life of a connection */
#define PAPERGATE_LIMIT_REFUSED_FILTERS 64 /* refused filters after which a connection is ended */
#define PAPERGATE_LIMIT_MESSAGES_PER_MINUTE 120 /* more are acknowledged and dropped */
#define PAPERGATE_LIMIT_PACKETS_PER_MINUTE 1000 /* more are slowed down, twice as many end the connection */
#define PAPERGATE_LIMIT_LOG_CHARACTERS 300 /* a log line */
#define PAPERGATE_LIMIT_LOGS_PER_WAKE 10 /* more are acknowledged and dropped */
#define PAPERGATE_LIMIT_KEEPALIVE_SECONDS 30 /* a shorter keepalive is raised to it */
#define PAPERGATE_LIMIT_SESSION_BYTES 2048 /* room for a TLS session that is kept over a sleep, see papergate-session.h */
#define PAPERGATE_LIMIT_FILE_VERSION 2147483647 /* the largest picture version */
#define PAPERGATE_LIMIT_SLEEP_SECONDS_MIN 60 /* the shortest sleep a frame is told */
#define PAPERGATE_LIMIT_SLEEP_SECONDS_MAX 86400 /* the longest sleep a frame is told */

/* hello, said by the frame: field names, limits, words */
#define PAPERGATE_HELLO_BOOT "boot" /* integer 0..9007199254740991 */
#define PAPERGATE_HELLO_BOOT_MIN 0
#define PAPERGATE_HELLO_BOOT_MAX 9007199254740991
#define PAPERGATE_HELLO_FIRMWARE "firmware" /* text(32) */
#define PAPERGATE_HELLO_FIRMWARE_CHARACTERS 32
#define PAPERGATE_HELLO_PANEL "panel" /* text(32) */
#define PAPERGATE_HELLO_PANEL_CHARACTERS 32
#define PAPERGATE_HELLO_FILE_VERSION "fileVersion" /* version */
#define PAPERGATE_HELLO_FILE_VERSION_MIN 0
#define PAPERGATE_HELLO_FILE_VERSION_MAX 2147483647
#define PAPERGATE_HELLO_SHA256 "sha256" /* digest, optional */
#define PAPERGATE_HELLO_PICTURE_SYNCED "pictureSynced" /* boolean */
#define PAPERGATE_HELLO_BATTERY_MV "batteryMv" /* integer 0..20000, optional */
#define PAPERGATE_HELLO_BATTERY_MV_MIN 0
#define PAPERGATE_HELLO_BATTERY_MV_MAX 20000
#define PAPERGATE_HELLO_RSSI "rssi" /* integer -150..0, optional */
#define PAPERGATE_HELLO_RSSI_MIN (-150)
#define PAPERGATE_HELLO_RSSI_MAX 0
#define PAPERGATE_HELLO_WAKE "wake" /* "reset", "button", "motion" or "timer" */
#define PAPERGATE_HELLO_WAKE_RESET "reset"
#define PAPERGATE_HELLO_WAKE_BUTTON "button"
#define PAPERGATE_HELLO_WAKE_MOTION "motion"
#define PAPERGATE_HELLO_WAKE_TIMER "timer"
#define PAPERGATE_HELLO_ORIENTATION "orientation" /* integer -1..3 */
#define PAPERGATE_HELLO_ORIENTATION_MIN (-1)
#define PAPERGATE_HELLO_ORIENTATION_MAX 3
#define PAPERGATE_HELLO_SLEEP_SECONDS "sleepSeconds" /* integer 0..604800 */
#define PAPERGATE_HELLO_SLEEP_SECONDS_MIN 0
#define PAPERGATE_HELLO_SLEEP_SECONDS_MAX 604800

/* desired, said by the gateway: field names, limits, words */
#define PAPERGATE_DESIRED_TIME "time" /* integer 0..9007199254740991 */
#define PAPERGATE_DESIRED_TIME_MIN 0
#define PAPERGATE_DESIRED_TIME_MAX 9007199254740991
#define PAPERGATE_DESIRED_SETTINGS "settings" /* object */
#define PAPERGATE_DESIRED_SETTINGS_SLEEP_SECONDS "sleepSeconds" /* integer 0..604800 */
#define PAPERGATE_DESIRED_SETTINGS_SLEEP_SECONDS_MIN 0
#define PAPERGATE_DESIRED_SETTINGS_SLEEP_SECONDS_MAX 604800
#define PAPERGATE_DESIRED_PICTURE "picture" /* object, optional */
#define PAPERGATE_DESIRED_PICTURE_UPLOAD "upload" /* text(64), not empty */
#define PAPERGATE_DESIRED_PICTURE_UPLOAD_CHARACTERS 64
#define PAPERGATE_DESIRED_PICTURE_FILE_VERSION "fileVersion" /* version */
#define PAPERGATE_DESIRED_PICTURE_FILE_VERSION_MIN 0
#define PAPERGATE_DESIRED_PICTURE_FILE_VERSION_MAX 2147483647
#define PAPERGATE_DESIRED_PICTURE_URL "url" /* text(300) */
#define PAPERGATE_DESIRED_PICTURE_URL_CHARACTERS 300
#define PAPERGATE_DESIRED_PICTURE_BYTES "bytes" /* integer 1..9007199254740991 */
#define PAPERGATE_DESIRED_PICTURE_BYTES_MIN 1
#define PAPERGATE_DESIRED_PICTURE_BYTES_MAX 9007199254740991
#define PAPERGATE_DESIRED_PICTURE_SHA256 "sha256" /* digest */
#define PAPERGATE_DESIRED_PICTURE_FORMAT "format" /* "nibble", "pairs", "bits", "planes", "halves", "bitmap" or "png" */
#define PAPERGATE_DESIRED_PICTURE_FORMAT_NIBBLE "nibble"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_PAIRS "pairs"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_BITS "bits"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_PLANES "planes"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_HALVES "halves"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_BITMAP "bitmap"
#define PAPERGATE_DESIRED_PICTURE_FORMAT_PNG "png"
#define PAPERGATE_DESIRED_PICTURE_UNCHANGED "unchanged" /* boolean, optional */
#define PAPERGATE_DESIRED_FIRMWARE "firmware" /* object, optional */
#define PAPERGATE_DESIRED_FIRMWARE_OFFER "offer" /* text(64), not empty */
#define PAPERGATE_DESIRED_FIRMWARE_OFFER_CHARACTERS 64
#define PAPERGATE_DESIRED_FIRMWARE_VERSION "version" /* text(32), not empty */
#define PAPERGATE_DESIRED_FIRMWARE_VERSION_CHARACTERS 32
#define PAPERGATE_DESIRED_FIRMWARE_URL "url" /* text(200) */
#define PAPERGATE_DESIRED_FIRMWARE_URL_CHARACTERS 200
#define PAPERGATE_DESIRED_FIRMWARE_BYTES "bytes" /* integer 1..9007199254740991 */
#define PAPERGATE_DESIRED_FIRMWARE_BYTES_MIN 1
#define PAPERGATE_DESIRED_FIRMWARE_BYTES_MAX 9007199254740991
#define PAPERGATE_DESIRED_FIRMWARE_SHA256 "sha256" /* digest */

/* report, said by the frame: field names, limits, words */
#define PAPERGATE_REPORT_UPLOAD "upload" /* text(64), not empty */
#define PAPERGATE_REPORT_UPLOAD_CHARACTERS 64
#define PAPERGATE_REPORT_FILE_VERSION "fileVersion" /* version */
#define PAPERGATE_REPORT_FILE_VERSION_MIN 0
#define PAPERGATE_REPORT_FILE_VERSION_MAX 2147483647
#define PAPERGATE_REPORT_STAGE "stage" /* "fetched", "shown" or "failed" */
#define PAPERGATE_REPORT_STAGE_FETCHED "fetched"
#define PAPERGATE_REPORT_STAGE_SHOWN "shown"
#define PAPERGATE_REPORT_STAGE_FAILED "failed"
#define PAPERGATE_REPORT_REASON "reason" /* text(200), optional */
#define PAPERGATE_REPORT_REASON_CHARACTERS 200
#define PAPERGATE_REPORT_SHA256 "sha256" /* digest, optional */
#define PAPERGATE_REPORT_PICTURE_SYNCED "pictureSynced" /* boolean */

/* command, said by the gateway: field names, limits, words */
#define PAPERGATE_COMMAND_ID "id" /* text(64), not empty */
#define PAPERGATE_COMMAND_ID_CHARACTERS 64
#define PAPERGATE_COMMAND_NAME "name" /* "ping", "reboot", "reset" or "identify" */
#define PAPERGATE_COMMAND_NAME_PING "ping"
#define PAPERGATE_COMMAND_NAME_REBOOT "reboot"
#define PAPERGATE_COMMAND_NAME_RESET "reset"
#define PAPERGATE_COMMAND_NAME_IDENTIFY "identify"
#define PAPERGATE_COMMAND_DATA "data" /* object, keys text(40), values text(200), number, boolean or null, optional */

/* reply, said by the frame: field names, limits, words */
#define PAPERGATE_REPLY_COMMAND "command" /* text(64), not empty */
#define PAPERGATE_REPLY_COMMAND_CHARACTERS 64
#define PAPERGATE_REPLY_OK "ok" /* boolean */
#define PAPERGATE_REPLY_DATA "data" /* object, keys text(40), values text(200), number, boolean or null, optional */
#define PAPERGATE_REPLY_DATA_PROBLEM "problem" /* in data, with ok false: what went wrong */

/* log, said by the frame: field names, limits, words */
#define PAPERGATE_LOG_LEVEL "level" /* "debug", "info", "warn" or "error" */
#define PAPERGATE_LOG_LEVEL_DEBUG "debug"
#define PAPERGATE_LOG_LEVEL_INFO "info"
#define PAPERGATE_LOG_LEVEL_WARN "warn"
#define PAPERGATE_LOG_LEVEL_ERROR "error"
#define PAPERGATE_LOG_MESSAGE "message" /* text(300) */
#define PAPERGATE_LOG_MESSAGE_CHARACTERS 300

/* update, said by the frame: field names, limits, words */
#define PAPERGATE_UPDATE_OFFER "offer" /* text(64), not empty */
#define PAPERGATE_UPDATE_OFFER_CHARACTERS 64
#define PAPERGATE_UPDATE_PHASE "phase" /* "fetching", "fetched", "restarting" or "failed" */
#define PAPERGATE_UPDATE_PHASE_FETCHING "fetching"
#define PAPERGATE_UPDATE_PHASE_FETCHED "fetched"
#define PAPERGATE_UPDATE_PHASE_RESTARTING "restarting"
#define PAPERGATE_UPDATE_PHASE_FAILED "failed"
#define PAPERGATE_UPDATE_REASON "reason" /* text(200), optional */
#define PAPERGATE_UPDATE_REASON_CHARACTERS 200

/* bye, said by the frame: field names, limits, words */
#define PAPERGATE_BYE_SLEEP_SECONDS "sleepSeconds" /* integer 0..604800 */
#define PAPERGATE_BYE_SLEEP_SECONDS_MIN 0
#define PAPERGATE_BYE_SLEEP_SECONDS_MAX 604800

/* Wake reasons as the classic dialect counts them */
#define PAPERGATE_CLASSIC_WAKE_RESET 0
#define PAPERGATE_CLASSIC_WAKE_BUTTON 1
#define PAPERGATE_CLASSIC_WAKE_MOTION 2
#define PAPERGATE_CLASSIC_WAKE_TIMER 3

/* OpenPaper 7, Spectra 6, 7.3 inch: the picture file */
#define PAPERGATE_PANEL_EPD7_NAME "epd7" /* hello names it so */
#define PAPERGATE_PANEL_EPD7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_EPD7_HEIGHT 480
#define PAPERGATE_PANEL_EPD7_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_EPD7_ROW_BYTES 400
#define PAPERGATE_PANEL_EPD7_FILE_BYTES 192004 /* header and pixels */
#define PAPERGATE_PANEL_EPD7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_EPD7_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_EPD7_CODE_WHITE 6 /* #bec8c8 */
#define PAPERGATE_PANEL_EPD7_CODE_BLUE 1 /* #05409e */
#define PAPERGATE_PANEL_EPD7_CODE_GREEN 2 /* #27663c */
#define PAPERGATE_PANEL_EPD7_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_EPD7_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_EPD7_CODE_FOR_FOREIGN 6 /* codes that are none of these are drawn so */

/* OpenPaper 13, Spectra 6, 13.3 inch: the picture file */
#define PAPERGATE_PANEL_OPENPAPER13_NAME "openpaper13" /* hello names it so */
#define PAPERGATE_PANEL_OPENPAPER13_WIDTH 1200 /* pixels of the stored raster */
#define PAPERGATE_PANEL_OPENPAPER13_HEIGHT 1600
#define PAPERGATE_PANEL_OPENPAPER13_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_OPENPAPER13_ROW_BYTES 600
#define PAPERGATE_PANEL_OPENPAPER13_FILE_BYTES 960004 /* header and pixels */
#define PAPERGATE_PANEL_OPENPAPER13_HEADER { 0xb0, 0x04, 0x40, 0x06 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_WHITE 6 /* #bec8c8 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_BLUE 1 /* #05409e */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_GREEN 2 /* #27663c */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_FOR_FOREIGN 6 /* codes that are none of these are drawn so */

/* ACeP, seven colours, 7.3 inch (GDEY073D46, AC073TC1A): the picture file */
#define PAPERGATE_PANEL_ACEP7_NAME "acep7" /* hello names it so */
#define PAPERGATE_PANEL_ACEP7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_ACEP7_HEIGHT 480
#define PAPERGATE_PANEL_ACEP7_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_ACEP7_ROW_BYTES 400
#define PAPERGATE_PANEL_ACEP7_FILE_BYTES 192004 /* header and pixels */
#define PAPERGATE_PANEL_ACEP7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_ACEP7_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_ACEP7_CODE_WHITE 1 /* #d9f2ff */
#define PAPERGATE_PANEL_ACEP7_CODE_GREEN 2 /* #037c4c */
#define PAPERGATE_PANEL_ACEP7_CODE_BLUE 3 /* #1b2ec6 */
#define PAPERGATE_PANEL_ACEP7_CODE_RED 4 /* #f55022 */
#define PAPERGATE_PANEL_ACEP7_CODE_YELLOW 5 /* #ffff44 */
#define PAPERGATE_PANEL_ACEP7_CODE_ORANGE 6 /* #ef792c */
#define PAPERGATE_PANEL_ACEP7_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* ACeP, seven colours, 5.65 inch (GDEP0565D90, UC8159): the picture file */
#define PAPERGATE_PANEL_ACEP5_NAME "acep5" /* hello names it so */
#define PAPERGATE_PANEL_ACEP5_WIDTH 600 /* pixels of the stored raster */
#define PAPERGATE_PANEL_ACEP5_HEIGHT 448
#define PAPERGATE_PANEL_ACEP5_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_ACEP5_ROW_BYTES 300
#define PAPERGATE_PANEL_ACEP5_FILE_BYTES 134404 /* header and pixels */
#define PAPERGATE_PANEL_ACEP5_HEADER { 0x58, 0x02, 0xc0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_ACEP5_CODE_BLACK 0 /* #393039 */
#define PAPERGATE_PANEL_ACEP5_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_ACEP5_CODE_GREEN 2 /* #3a5b46 */
#define PAPERGATE_PANEL_ACEP5_CODE_BLUE 3 /* #3d3b5e */
#define PAPERGATE_PANEL_ACEP5_CODE_RED 4 /* #9c484b */
#define PAPERGATE_PANEL_ACEP5_CODE_YELLOW 5 /* #d0be47 */
#define PAPERGATE_PANEL_ACEP5_CODE_ORANGE 6 /* #b16a49 */
#define PAPERGATE_PANEL_ACEP5_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Inkplate 6COLOR, seven colours: the picture file */
#define PAPERGATE_PANEL_INKPLATE6COLOR_NAME "inkplate6color" /* hello names it so */
#define PAPERGATE_PANEL_INKPLATE6COLOR_WIDTH 600 /* pixels of the stored raster */
#define PAPERGATE_PANEL_INKPLATE6COLOR_HEIGHT 448
#define PAPERGATE_PANEL_INKPLATE6COLOR_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_INKPLATE6COLOR_ROW_BYTES 300
#define PAPERGATE_PANEL_INKPLATE6COLOR_FILE_BYTES 134404 /* header and pixels */
#define PAPERGATE_PANEL_INKPLATE6COLOR_HEADER { 0x58, 0x02, 0xc0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_BLACK 0 /* #393039 */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_GREEN 2 /* #3a5b46 */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_BLUE 3 /* #3d3b5e */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_RED 4 /* #9c484b */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_YELLOW 5 /* #d0be47 */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_ORANGE 6 /* #b16a49 */
#define PAPERGATE_PANEL_INKPLATE6COLOR_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Black and white, 7.5 inch (GDEW075T7): the picture file */
#define PAPERGATE_PANEL_BW7_NAME "bw7" /* hello names it so */
#define PAPERGATE_PANEL_BW7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BW7_HEIGHT 480
#define PAPERGATE_PANEL_BW7_PACKING "bits" /* eight pixels a byte, the leftmost in the highest bit */
#define PAPERGATE_PANEL_BW7_ROW_BYTES 100
#define PAPERGATE_PANEL_BW7_FILE_BYTES 48004 /* header and pixels */
#define PAPERGATE_PANEL_BW7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BW7_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_BW7_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_BW7_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Black and white, 13.3 inch (GDEM133T91): the picture file */
#define PAPERGATE_PANEL_BW13_NAME "bw13" /* hello names it so */
#define PAPERGATE_PANEL_BW13_WIDTH 960 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BW13_HEIGHT 680
#define PAPERGATE_PANEL_BW13_PACKING "bits" /* eight pixels a byte, the leftmost in the highest bit */
#define PAPERGATE_PANEL_BW13_ROW_BYTES 120
#define PAPERGATE_PANEL_BW13_FILE_BYTES 81604 /* header and pixels */
#define PAPERGATE_PANEL_BW13_HEADER { 0xc0, 0x03, 0xa8, 0x02 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BW13_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_BW13_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_BW13_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Black, white and red, 7.5 inch (GDEW075Z08): the picture file */
#define PAPERGATE_PANEL_BWR7_NAME "bwr7" /* hello names it so */
#define PAPERGATE_PANEL_BWR7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWR7_HEIGHT 480
#define PAPERGATE_PANEL_BWR7_PACKING "planes" /* a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte */
#define PAPERGATE_PANEL_BWR7_ROW_BYTES 100 /* of each plane */
#define PAPERGATE_PANEL_BWR7_FILE_BYTES 96004 /* header and pixels */
#define PAPERGATE_PANEL_BWR7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWR7_CODE_BLACK 2 /* #000000 */
#define PAPERGATE_PANEL_BWR7_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_BWR7_CODE_RED 1 /* #ff0000 */
#define PAPERGATE_PANEL_BWR7_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Black, white and red, 7.5 inch HD (GDEH075Z90): the picture file */
#define PAPERGATE_PANEL_BWR7HD_NAME "bwr7hd" /* hello names it so */
#define PAPERGATE_PANEL_BWR7HD_WIDTH 880 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWR7HD_HEIGHT 528
#define PAPERGATE_PANEL_BWR7HD_PACKING "planes" /* a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte */
#define PAPERGATE_PANEL_BWR7HD_ROW_BYTES 110 /* of each plane */
#define PAPERGATE_PANEL_BWR7HD_FILE_BYTES 116164 /* header and pixels */
#define PAPERGATE_PANEL_BWR7HD_HEADER { 0x70, 0x03, 0x10, 0x02 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWR7HD_CODE_BLACK 2 /* #000000 */
#define PAPERGATE_PANEL_BWR7HD_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_BWR7HD_CODE_RED 1 /* #ff0000 */
#define PAPERGATE_PANEL_BWR7HD_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Black, white and red, 13.3 inch (GDEM133Z91): the picture file */
#define PAPERGATE_PANEL_BWR13_NAME "bwr13" /* hello names it so */
#define PAPERGATE_PANEL_BWR13_WIDTH 960 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWR13_HEIGHT 680
#define PAPERGATE_PANEL_BWR13_PACKING "planes" /* a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte */
#define PAPERGATE_PANEL_BWR13_ROW_BYTES 120 /* of each plane */
#define PAPERGATE_PANEL_BWR13_FILE_BYTES 163204 /* header and pixels */
#define PAPERGATE_PANEL_BWR13_HEADER { 0xc0, 0x03, 0xa8, 0x02 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWR13_CODE_BLACK 2 /* #000000 */
#define PAPERGATE_PANEL_BWR13_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_BWR13_CODE_RED 1 /* #ff0000 */
#define PAPERGATE_PANEL_BWR13_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Black, white and red, 12.48 inch (GDEY1248Z51): the picture file */
#define PAPERGATE_PANEL_BWR12_NAME "bwr12" /* hello names it so */
#define PAPERGATE_PANEL_BWR12_WIDTH 1304 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWR12_HEIGHT 984
#define PAPERGATE_PANEL_BWR12_PACKING "planes" /* a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte */
#define PAPERGATE_PANEL_BWR12_ROW_BYTES 163 /* of each plane */
#define PAPERGATE_PANEL_BWR12_FILE_BYTES 320788 /* header and pixels */
#define PAPERGATE_PANEL_BWR12_HEADER { 0x18, 0x05, 0xd8, 0x03 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWR12_CODE_BLACK 2 /* #000000 */
#define PAPERGATE_PANEL_BWR12_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_BWR12_CODE_RED 1 /* #ff0000 */
#define PAPERGATE_PANEL_BWR12_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Black, white and yellow, 2.13 inch: the picture file */
#define PAPERGATE_PANEL_BWY2_NAME "bwy2" /* hello names it so */
#define PAPERGATE_PANEL_BWY2_WIDTH 104 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWY2_HEIGHT 212
#define PAPERGATE_PANEL_BWY2_PACKING "planes" /* a plane of bits 0 of the codes, then one of bits 1, eight pixels a byte */
#define PAPERGATE_PANEL_BWY2_ROW_BYTES 13 /* of each plane */
#define PAPERGATE_PANEL_BWY2_FILE_BYTES 5516 /* header and pixels */
#define PAPERGATE_PANEL_BWY2_HEADER { 0x68, 0x00, 0xd4, 0x00 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWY2_CODE_BLACK 2 /* #000000 */
#define PAPERGATE_PANEL_BWY2_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_BWY2_CODE_YELLOW 1 /* #ffff00 */
#define PAPERGATE_PANEL_BWY2_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Black, white, red and yellow, 7.5 inch (GDEM075F52): the picture file */
#define PAPERGATE_PANEL_BWRY7_NAME "bwry7" /* hello names it so */
#define PAPERGATE_PANEL_BWRY7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_BWRY7_HEIGHT 480
#define PAPERGATE_PANEL_BWRY7_PACKING "pairs" /* four pixels a byte, the leftmost in the highest bits */
#define PAPERGATE_PANEL_BWRY7_ROW_BYTES 200
#define PAPERGATE_PANEL_BWRY7_FILE_BYTES 96004 /* header and pixels */
#define PAPERGATE_PANEL_BWRY7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_BWRY7_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_BWRY7_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_BWRY7_CODE_YELLOW 2 /* #ffff00 */
#define PAPERGATE_PANEL_BWRY7_CODE_RED 3 /* #ff0000 */
#define PAPERGATE_PANEL_BWRY7_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* 16 grays, 10.3 inch (IT8951): the picture file */
#define PAPERGATE_PANEL_GRAY10_NAME "gray10" /* hello names it so */
#define PAPERGATE_PANEL_GRAY10_WIDTH 1872 /* pixels of the stored raster */
#define PAPERGATE_PANEL_GRAY10_HEIGHT 1404
#define PAPERGATE_PANEL_GRAY10_PACKING "nibble" /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_GRAY10_ROW_BYTES 936
#define PAPERGATE_PANEL_GRAY10_FILE_BYTES 1314148 /* header and pixels */
#define PAPERGATE_PANEL_GRAY10_HEADER { 0x50, 0x07, 0x7c, 0x05 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_GRAY10_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY1 1 /* #111111 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY2 2 /* #222222 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY3 3 /* #333333 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY4 4 /* #444444 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY5 5 /* #555555 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY6 6 /* #666666 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY7 7 /* #777777 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY8 8 /* #888888 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY9 9 /* #999999 */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY10 10 /* #aaaaaa */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY11 11 /* #bbbbbb */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY12 12 /* #cccccc */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY13 13 /* #dddddd */
#define PAPERGATE_PANEL_GRAY10_CODE_GRAY14 14 /* #eeeeee */
#define PAPERGATE_PANEL_GRAY10_CODE_WHITE 15 /* #ffffff */
#define PAPERGATE_PANEL_GRAY10_CODE_FOR_FOREIGN 15 /* codes that are none of these are drawn so */

/* TRMNL OG, two grays: the picture file */
#define PAPERGATE_PANEL_TRMNL2_NAME "trmnl2" /* hello names it so */
#define PAPERGATE_PANEL_TRMNL2_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_TRMNL2_HEIGHT 480
#define PAPERGATE_PANEL_TRMNL2_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_TRMNL2_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_TRMNL2_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_TRMNL2_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_TRMNL2_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* TRMNL OG, four grays: the picture file */
#define PAPERGATE_PANEL_TRMNL4_NAME "trmnl4" /* hello names it so */
#define PAPERGATE_PANEL_TRMNL4_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_TRMNL4_HEIGHT 480
#define PAPERGATE_PANEL_TRMNL4_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_TRMNL4_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_TRMNL4_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_TRMNL4_CODE_GRAY1 1 /* #555555 */
#define PAPERGATE_PANEL_TRMNL4_CODE_GRAY2 2 /* #aaaaaa */
#define PAPERGATE_PANEL_TRMNL4_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_TRMNL4_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* TRMNL OG, black, white, red and yellow: the picture file */
#define PAPERGATE_PANEL_TRMNLBWRY_NAME "trmnlbwry" /* hello names it so */
#define PAPERGATE_PANEL_TRMNLBWRY_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_TRMNLBWRY_HEIGHT 480
#define PAPERGATE_PANEL_TRMNLBWRY_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_TRMNLBWRY_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_TRMNLBWRY_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_TRMNLBWRY_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_TRMNLBWRY_CODE_YELLOW 2 /* #ffff00 */
#define PAPERGATE_PANEL_TRMNLBWRY_CODE_RED 3 /* #ff0000 */
#define PAPERGATE_PANEL_TRMNLBWRY_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* TRMNL X, 16 grays: the picture file */
#define PAPERGATE_PANEL_TRMNLX_NAME "trmnlx" /* hello names it so */
#define PAPERGATE_PANEL_TRMNLX_WIDTH 1872 /* pixels of the stored raster */
#define PAPERGATE_PANEL_TRMNLX_HEIGHT 1404
#define PAPERGATE_PANEL_TRMNLX_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_TRMNLX_FILE_BYTES 749999 /* at most */
#define PAPERGATE_PANEL_TRMNLX_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY1 1 /* #111111 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY2 2 /* #222222 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY3 3 /* #333333 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY4 4 /* #444444 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY5 5 /* #555555 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY6 6 /* #666666 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY7 7 /* #777777 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY8 8 /* #888888 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY9 9 /* #999999 */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY10 10 /* #aaaaaa */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY11 11 /* #bbbbbb */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY12 12 /* #cccccc */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY13 13 /* #dddddd */
#define PAPERGATE_PANEL_TRMNLX_CODE_GRAY14 14 /* #eeeeee */
#define PAPERGATE_PANEL_TRMNLX_CODE_WHITE 15 /* #ffffff */
#define PAPERGATE_PANEL_TRMNLX_CODE_FOR_FOREIGN 15 /* codes that are none of these are drawn so */

/* Seeed E1001, four grays: the picture file */
#define PAPERGATE_PANEL_SEEEDE1001_NAME "seeede1001" /* hello names it so */
#define PAPERGATE_PANEL_SEEEDE1001_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_SEEEDE1001_HEIGHT 480
#define PAPERGATE_PANEL_SEEEDE1001_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_SEEEDE1001_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_SEEEDE1001_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_SEEEDE1001_CODE_GRAY1 1 /* #555555 */
#define PAPERGATE_PANEL_SEEEDE1001_CODE_GRAY2 2 /* #aaaaaa */
#define PAPERGATE_PANEL_SEEEDE1001_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_SEEEDE1001_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* Seeed E1002, six colours: the picture file */
#define PAPERGATE_PANEL_SEEEDE1002_NAME "seeede1002" /* hello names it so */
#define PAPERGATE_PANEL_SEEEDE1002_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_SEEEDE1002_HEIGHT 480
#define PAPERGATE_PANEL_SEEEDE1002_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_SEEEDE1002_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_WHITE 1 /* #bec8c8 */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_BLUE 2 /* #05409e */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_GREEN 3 /* #27663c */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_RED 4 /* #871300 */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_SEEEDE1002_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Seeed E1003, 16 grays in a palette: the picture file */
#define PAPERGATE_PANEL_SEEEDE1003_NAME "seeede1003" /* hello names it so */
#define PAPERGATE_PANEL_SEEEDE1003_WIDTH 1872 /* pixels of the stored raster */
#define PAPERGATE_PANEL_SEEEDE1003_HEIGHT 1404
#define PAPERGATE_PANEL_SEEEDE1003_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_SEEEDE1003_FILE_BYTES 749999 /* at most */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY1 1 /* #111111 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY2 2 /* #222222 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY3 3 /* #333333 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY4 4 /* #444444 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY5 5 /* #555555 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY6 6 /* #666666 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY7 7 /* #777777 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY8 8 /* #888888 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY9 9 /* #999999 */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY10 10 /* #aaaaaa */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY11 11 /* #bbbbbb */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY12 12 /* #cccccc */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY13 13 /* #dddddd */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_GRAY14 14 /* #eeeeee */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_WHITE 15 /* #ffffff */
#define PAPERGATE_PANEL_SEEEDE1003_CODE_FOR_FOREIGN 15 /* codes that are none of these are drawn so */

/* Seeed E1004, six colours: the picture file */
#define PAPERGATE_PANEL_SEEEDE1004_NAME "seeede1004" /* hello names it so */
#define PAPERGATE_PANEL_SEEEDE1004_WIDTH 1200 /* pixels of the stored raster */
#define PAPERGATE_PANEL_SEEEDE1004_HEIGHT 1600
#define PAPERGATE_PANEL_SEEEDE1004_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_SEEEDE1004_FILE_BYTES 749999 /* at most */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_WHITE 1 /* #bec8c8 */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_BLUE 2 /* #05409e */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_GREEN 3 /* #27663c */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_RED 4 /* #871300 */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_SEEEDE1004_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* TRMNL kit in black, white and red, of which its firmware draws black and white: the picture file */
#define PAPERGATE_PANEL_TRMNLBWR_NAME "trmnlbwr" /* hello names it so */
#define PAPERGATE_PANEL_TRMNLBWR_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_TRMNLBWR_HEIGHT 480
#define PAPERGATE_PANEL_TRMNLBWR_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_TRMNLBWR_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_TRMNLBWR_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_TRMNLBWR_CODE_WHITE 1 /* #ffffff */
#define PAPERGATE_PANEL_TRMNLBWR_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* CrowPanel 4.2 inch with TRMNL firmware, four grays: the picture file */
#define PAPERGATE_PANEL_CROWPANEL42_NAME "crowpanel42" /* hello names it so */
#define PAPERGATE_PANEL_CROWPANEL42_WIDTH 400 /* pixels of the stored raster */
#define PAPERGATE_PANEL_CROWPANEL42_HEIGHT 300
#define PAPERGATE_PANEL_CROWPANEL42_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_CROWPANEL42_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_CROWPANEL42_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_CROWPANEL42_CODE_GRAY1 1 /* #555555 */
#define PAPERGATE_PANEL_CROWPANEL42_CODE_GRAY2 2 /* #aaaaaa */
#define PAPERGATE_PANEL_CROWPANEL42_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_CROWPANEL42_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* M5Paper Mono with TRMNL firmware, four grays: the picture file */
#define PAPERGATE_PANEL_M5PAPERMONO_NAME "m5papermono" /* hello names it so */
#define PAPERGATE_PANEL_M5PAPERMONO_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_M5PAPERMONO_HEIGHT 480
#define PAPERGATE_PANEL_M5PAPERMONO_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_M5PAPERMONO_FILE_BYTES 89999 /* at most */
#define PAPERGATE_PANEL_M5PAPERMONO_CODE_BLACK 0 /* #000000 */
#define PAPERGATE_PANEL_M5PAPERMONO_CODE_GRAY1 1 /* #555555 */
#define PAPERGATE_PANEL_M5PAPERMONO_CODE_GRAY2 2 /* #aaaaaa */
#define PAPERGATE_PANEL_M5PAPERMONO_CODE_WHITE 3 /* #ffffff */
#define PAPERGATE_PANEL_M5PAPERMONO_CODE_FOR_FOREIGN 3 /* codes that are none of these are drawn so */

/* PhotoPainter, XIAO EE04 or E1002 with esp32-photoframe, six colours: the picture file */
#define PAPERGATE_PANEL_PHOTOFRAME7_NAME "photoframe7" /* hello names it so */
#define PAPERGATE_PANEL_PHOTOFRAME7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_PHOTOFRAME7_HEIGHT 480
#define PAPERGATE_PANEL_PHOTOFRAME7_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_PHOTOFRAME7_FILE_BYTES 193504 /* at most */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_WHITE 1 /* #bec8c8 */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_BLUE 2 /* #05409e */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_GREEN 3 /* #27663c */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_RED 4 /* #871300 */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_PHOTOFRAME7_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* XIAO EE02 or E1004 with esp32-photoframe, six colours: the picture file */
#define PAPERGATE_PANEL_PHOTOFRAME13_NAME "photoframe13" /* hello names it so */
#define PAPERGATE_PANEL_PHOTOFRAME13_WIDTH 1200 /* pixels of the stored raster */
#define PAPERGATE_PANEL_PHOTOFRAME13_HEIGHT 1600
#define PAPERGATE_PANEL_PHOTOFRAME13_PACKING "png" /* an indexed PNG with these codes as palette indices */
#define PAPERGATE_PANEL_PHOTOFRAME13_FILE_BYTES 962624 /* at most */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_WHITE 1 /* #bec8c8 */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_BLUE 2 /* #05409e */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_GREEN 3 /* #27663c */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_RED 4 /* #871300 */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_PHOTOFRAME13_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* Huessen and Hokku 13.3 inch with hokku_epaper, six colours: the picture file */
#define PAPERGATE_PANEL_HOKKU13_NAME "hokku13" /* hello names it so */
#define PAPERGATE_PANEL_HOKKU13_WIDTH 1200 /* pixels of the stored raster */
#define PAPERGATE_PANEL_HOKKU13_HEIGHT 1600
#define PAPERGATE_PANEL_HOKKU13_PACKING "halves" /* no header; the left half of all rows, then the right half, two pixels a byte as in nibble */
#define PAPERGATE_PANEL_HOKKU13_ROW_BYTES 600
#define PAPERGATE_PANEL_HOKKU13_FILE_BYTES 960000 /* pixels */
#define PAPERGATE_PANEL_HOKKU13_HEADER { 0xb0, 0x04, 0x40, 0x06 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_HOKKU13_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_HOKKU13_CODE_WHITE 1 /* #bec8c8 */
#define PAPERGATE_PANEL_HOKKU13_CODE_BLUE 5 /* #05409e */
#define PAPERGATE_PANEL_HOKKU13_CODE_GREEN 6 /* #27663c */
#define PAPERGATE_PANEL_HOKKU13_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_HOKKU13_CODE_YELLOW 2 /* #cdca00 */
#define PAPERGATE_PANEL_HOKKU13_CODE_FOR_FOREIGN 1 /* codes that are none of these are drawn so */

/* OpenPaper 7 with the offline firmware, six colours: the picture file */
#define PAPERGATE_PANEL_OFFLINE7_NAME "offline7" /* hello names it so */
#define PAPERGATE_PANEL_OFFLINE7_WIDTH 800 /* pixels of the stored raster */
#define PAPERGATE_PANEL_OFFLINE7_HEIGHT 480
#define PAPERGATE_PANEL_OFFLINE7_PACKING "bitmap" /* a BMP of four bits a pixel whose rows go from top to bottom */
#define PAPERGATE_PANEL_OFFLINE7_ROW_BYTES 400
#define PAPERGATE_PANEL_OFFLINE7_FILE_BYTES 192118 /* header and pixels */
#define PAPERGATE_PANEL_OFFLINE7_HEADER { 0x20, 0x03, 0xe0, 0x01 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_OFFLINE7_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_OFFLINE7_CODE_WHITE 6 /* #bec8c8 */
#define PAPERGATE_PANEL_OFFLINE7_CODE_BLUE 1 /* #05409e */
#define PAPERGATE_PANEL_OFFLINE7_CODE_GREEN 2 /* #27663c */
#define PAPERGATE_PANEL_OFFLINE7_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_OFFLINE7_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_OFFLINE7_CODE_FOR_FOREIGN 6 /* codes that are none of these are drawn so */

/* OpenPaper 13 with the offline firmware, six colours: the picture file */
#define PAPERGATE_PANEL_OFFLINE13_NAME "offline13" /* hello names it so */
#define PAPERGATE_PANEL_OFFLINE13_WIDTH 1200 /* pixels of the stored raster */
#define PAPERGATE_PANEL_OFFLINE13_HEIGHT 1600
#define PAPERGATE_PANEL_OFFLINE13_PACKING "bitmap" /* a BMP of four bits a pixel whose rows go from top to bottom */
#define PAPERGATE_PANEL_OFFLINE13_ROW_BYTES 600
#define PAPERGATE_PANEL_OFFLINE13_FILE_BYTES 960118 /* header and pixels */
#define PAPERGATE_PANEL_OFFLINE13_HEADER { 0xb0, 0x04, 0x40, 0x06 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_OFFLINE13_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_OFFLINE13_CODE_WHITE 6 /* #bec8c8 */
#define PAPERGATE_PANEL_OFFLINE13_CODE_BLUE 1 /* #05409e */
#define PAPERGATE_PANEL_OFFLINE13_CODE_GREEN 2 /* #27663c */
#define PAPERGATE_PANEL_OFFLINE13_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_OFFLINE13_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_OFFLINE13_CODE_FOR_FOREIGN 6 /* codes that are none of these are drawn so */

#endif
