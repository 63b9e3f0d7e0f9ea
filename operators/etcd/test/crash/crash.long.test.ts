/** Every episode of an operator that is killed between any two writes, on both clusters; `npm test` plays the most delicate one. */
process.env["CAPSTAN_EPISODES"] ??= "all";
await import("./crash.test.ts");
