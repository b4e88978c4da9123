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
#define PAPERGATE_LIMIT_PACKET_BYTES_BEFORE_CONNECT 4096 /* length field of an MQTT packet before login */
#define PAPERGATE_LIMIT_PACKET_BYTES 65536 /* the same afterwards */
#define PAPERGATE_LIMIT_NATIVE_MESSAGE_BYTES 1024 /* one JSON message */
#define PAPERGATE_LIMIT_CLASSIC_PACKET_BYTES 512 /* classic dialect: a whole MQTT packet to a frame */
#define PAPERGATE_LIMIT_CLASSIC_URL_CHARACTERS 49 /* classic dialect: prefix and path together */
#define PAPERGATE_LIMIT_FRAME_ID_CHARACTERS 64 /* a serial */
#define PAPERGATE_LIMIT_SUBSCRIPTIONS_PER_FRAME 4 /* in the life of a connection */
#define PAPERGATE_LIMIT_REFUSED_FILTERS 64 /* refused filters after which a connection is ended */
#define PAPERGATE_LIMIT_MESSAGES_PER_MINUTE 120 /* more are acknowledged and dropped */
#define PAPERGATE_LIMIT_LOG_CHARACTERS 300 /* a log line */
#define PAPERGATE_LIMIT_LOGS_PER_WAKE 10 /* more are acknowledged and dropped */
#define PAPERGATE_LIMIT_KEEPALIVE_SECONDS 30 /* a shorter keepalive is raised to it */
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
#define PAPERGATE_DESIRED_PICTURE_FORMAT "format" /* "nibble" */
#define PAPERGATE_DESIRED_PICTURE_FORMAT_NIBBLE "nibble"
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
#define PAPERGATE_PANEL_EPD7_ROW_BYTES 400 /* two pixels a byte, the left one in the high four bits */
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
#define PAPERGATE_PANEL_OPENPAPER13_ROW_BYTES 600 /* two pixels a byte, the left one in the high four bits */
#define PAPERGATE_PANEL_OPENPAPER13_FILE_BYTES 960004 /* header and pixels */
#define PAPERGATE_PANEL_OPENPAPER13_HEADER { 0xb0, 0x04, 0x40, 0x06 } /* initializer of the first four bytes */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_BLACK 0 /* #020202 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_WHITE 6 /* #bec8c8 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_BLUE 1 /* #05409e */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_GREEN 2 /* #27663c */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_RED 3 /* #871300 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_YELLOW 5 /* #cdca00 */
#define PAPERGATE_PANEL_OPENPAPER13_CODE_FOR_FOREIGN 6 /* codes that are none of these are drawn so */

#endif
