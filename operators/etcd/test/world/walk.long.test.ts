/** Ten times the steps of the random walk that `npm test` takes. */
process.env["CAPSTAN_STEPS"] ??= "2000";
await import("./walk.test.ts");
