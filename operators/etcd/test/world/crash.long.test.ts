/** A crash before each write; `npm test` takes one in four. */
process.env["CAPSTAN_CRASH_POINTS"] ??= "all";
await import("./crash.test.ts");
await import("./later-backup.test.ts");
await import("./restore.test.ts");
