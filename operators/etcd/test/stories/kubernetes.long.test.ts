/** The longest stories on real Kubernetes; `npm test` plays them on the embedded cluster. */
process.env["CAPSTAN_STORIES"] ??= "kubernetes";
await import("./cut.test.ts");
await import("./quota.test.ts");
await import("../backup/loss.test.ts");
await import("../backup/story.test.ts");
await import("../lifecycle/lifecycle.test.ts");
await import("../tls/provided.test.ts");
await import("../tls/story.test.ts");
await import("../upgrade/upgrade.test.ts");
