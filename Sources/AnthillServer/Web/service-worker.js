importScripts("/js/device/push-worker.js", "/js/device/page-worker.js");
