/** The peer port of a real member: a client's certificate is not a peer's. */
import assert from "node:assert/strict";
import { request } from "node:https";
import { join } from "node:path";
import { test } from "node:test";
import { ETCD_VERSIONS } from "@capstan/kubernetes";
import { flagsOf } from "../../src/pods/flags.ts";
import { peerName, planTls } from "../../src/tls/index.ts";
import { startEtcd, takePlace, untilHealthy } from "../etcd/processes.ts";
import { materialOf, mountSecret, secretOf, storedSecrets } from "./files.ts";

const cluster = { name: "db", namespace: "shop" };

/** The certificate flags of a member's pod, with another folder. */
function certificateFlags(version: string, folder: string): string[] {
  const flags = flagsOf({
    place: { ...cluster, isSecure: true },
    token: "t",
    member: "db-0",
    boot: "live",
    version,
    peers: [],
    quota: 1,
    compaction: { mode: "Off", retention: "" },
    options: {},
    peerName: peerName(cluster),
  });
  const own = flags.filter((flag) => /^--[a-z-]*(-file|-cert-auth|-allowed-cn|san-verification)=/u.test(flag));
  return own.map((flag) => flag.replace("/etc/etcd/tls", folder));
}

/** The status of a response on the peer port; undefined when the connection is refused. */
function askPeer(port: number, { ca, certificate, privateKey }: ReturnType<typeof materialOf>) {
  return new Promise<number | undefined>((resolve) => {
    const tls = { ca, cert: certificate, key: privateKey };
    const call = request({ host: "127.0.0.1", port, path: "/members", ...tls, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    call.once("error", () => resolve(undefined));
    call.end();
  });
}

for (const version of ETCD_VERSIONS) {
  test(`etcd ${version}: the Secrets of clients and operator do not open the peer port`, async () => {
    const spec = { mode: "Managed", validity: "90d", caValidity: "3650d", names: [] } as const;
    const plan = planTls({ cluster, spec, secrets: [], now: Date.now(), trusted: [] });
    const secrets = storedSecrets(plan);
    const place = await takePlace();
    const folder = join(place.folder, "tls");
    for (const part of ["server", "peer"]) await mountSecret(join(folder, part), secretOf(secrets, `db-${part}`));
    assert.ok(plan.operator);
    await using member = await startEtcd({
      version,
      place,
      scheme: "https",
      connect: { tls: plan.operator },
      arguments: certificateFlags(version, folder),
    });
    await untilHealthy(member);
    const ask = (secret: string) => askPeer(place.peerPort, materialOf(secretOf(secrets, secret)));
    assert.equal(await ask("db-peer"), 200);
    for (const secret of ["db-client", "db-operator", "db-server"]) assert.equal(await ask(secret), undefined, secret);
  });
}
