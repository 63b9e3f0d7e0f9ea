#!/usr/bin/env node
/** `npm create capstan`: runs `capstan init`, for a folder in which nothing is installed yet. */
process.argv.splice(2, 0, "init");
await import("@capstan/cli");
