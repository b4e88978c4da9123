// The browser comes from Debian's packages (or PAPERGATE_BROWSER); puppeteer must not try to download its own.
module.exports = { skipDownload: true };
