/** Ten times the random worlds that `npm test` tries. */
process.env["CAPSTAN_RUNS"] ??= "120";
await import("./waits.test.ts");
