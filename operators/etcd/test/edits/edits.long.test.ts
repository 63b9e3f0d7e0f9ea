/** Five times the random edits that `npm test` makes. */
process.env["CAPSTAN_STEPS"] ??= "60";
await import("./edits.test.ts");
