/** Rotation with each version of etcd; `npm test` tries the default one. */
process.env["CAPSTAN_ETCD_VERSIONS"] ??= "all";
await import("./rotation.test.ts");
