import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdBackup, EtcdCluster, EtcdRestore } from "../../src/kinds/index.ts";
import { startWorld } from "../world/world.ts";

type Spec = { readonly [field: string]: unknown };

const READER = [{ name: "reader" }];

function allowing(keys: object): Spec {
  return { roles: [{ name: "reader", permissions: [{ access: "Read", ...keys }] }] };
}

/** The old spec, the new spec, and the server's error. */
const CHANGES: readonly { readonly from: Spec; readonly to: Spec; readonly refused: RegExp | undefined }[] = [
  { from: {}, to: { size: 5 }, refused: undefined },
  { from: {}, to: { size: 2 }, refused: undefined },
  { from: {}, to: { size: 1 }, refused: /at most a minority/u },
  { from: { size: 2 }, to: { size: 1 }, refused: undefined },
  { from: { size: 5 }, to: { size: 2 }, refused: /at most a minority/u },
  { from: {}, to: { size: 0 }, refused: undefined },
  { from: {}, to: { size: 8 }, refused: /less than or equal to 7/u },
  { from: { storage: { size: "8Gi" } }, to: { storage: { size: "10Gi" } }, refused: undefined },
  { from: { storage: { size: "8Gi" } }, to: { storage: { size: "8192Mi" } }, refused: undefined },
  { from: { storage: { size: "8Gi" } }, to: { storage: { size: "7Gi" } }, refused: /cannot shrink/u },
  { from: { profile: "large" }, to: { storage: { size: "1Mi" } }, refused: /those of the profile are larger/u },
  { from: { profile: "large" }, to: { profile: "small", storage: { size: "32Gi" } }, refused: undefined },
  { from: { storage: { className: "a" } }, to: { storage: { className: "b" } }, refused: /class of existing volumes/u },
  { from: { version: "3.7.3" }, to: { version: "3.6.16" }, refused: undefined },
  { from: { version: "3.7.3" }, to: { version: "3.5.35" }, refused: /more than one minor/u },
  { from: {}, to: { version: "2.3.8" }, refused: /should match/u },
  { from: {}, to: { version: "latest" }, refused: /should match/u },
  { from: {}, to: { version: "3.9.0" }, refused: /supports etcd 3\.5 to 3\.7/u },
  { from: {}, to: { version: "3.6.x" }, refused: undefined },
  { from: {}, to: { image: "etcd:3.6.16" }, refused: /\{version\}/u },
  { from: {}, to: { options: { "snapshot-count": "1000" } }, refused: undefined },
  { from: {}, to: { options: { "initial-cluster": "x" } }, refused: /the operator manages/u },
  { from: {}, to: { options: { "data-dir": "/tmp" } }, refused: /the operator manages/u },
  { from: {}, to: { options: { "unsafe-no-fsync": "true" } }, refused: /the operator manages/u },
  { from: {}, to: { options: { "strict-reconfig-check": "false" } }, refused: /the operator manages/u },
  { from: {}, to: { options: { "data-dir=/tmp/x": "y" } }, refused: /flags are words/u },
  { from: {}, to: { options: { "feature-gates": "StopGRPCServiceOnDefrag=true" } }, refused: undefined },
  {
    from: {},
    to: { options: { "feature-gates": "A=true,InitialCorruptCheck=false" } },
    refused: /checks of the members/u,
  },
  { from: {}, to: { options: { "experimental-initial-corrupt-check": "false" } }, refused: /the operator manages/u },
  { from: {}, to: { options: { "peer-cert-allowed-hostname": "*" } }, refused: /unless tls.mode is Provided/u },
  { from: {}, to: { options: { "peer-cert-allowed-cn": "me" } }, refused: /unless tls.mode is Provided/u },
  {
    from: { tls: { mode: "Provided", secrets: { server: "s", peer: "p", client: "c" } } },
    to: { options: { "peer-cert-allowed-cn": "me" } },
    refused: undefined,
  },
  { from: {}, to: { recovery: { replaceAfter: "0s" } }, refused: /at least 5s/u },
  { from: {}, to: { update: { deadline: "1s" } }, refused: /at least 5s/u },
  { from: {}, to: { tls: { mode: "Off" } }, refused: /plain text and TLS/u },
  { from: {}, to: { tls: { validity: "30s" } }, refused: /should match/u },
  { from: {}, to: { tls: { validity: "36h", caValidity: "30d" } }, refused: undefined },
  { from: {}, to: { tls: { caValidity: "1h" } }, refused: /should match/u },
  { from: {}, to: { tls: { caValidity: "2d" } }, refused: /six times overlap/u },
  { from: {}, to: { tls: { caValidity: "6d" } }, refused: undefined },
  { from: {}, to: { tls: { caValidity: "6d", overlap: "1d1s" } }, refused: /six times overlap/u },
  { from: {}, to: { tls: { caValidity: "1d2d", overlap: "11h60m" } }, refused: undefined },
  { from: {}, to: { tls: { caValidity: "36501d" } }, refused: /a hundred years/u },
  { from: {}, to: { tls: { validity: "999999999h" } }, refused: /a hundred years/u },
  { from: {}, to: { tls: { names: ["etcd.example.com", "*.example.com", "fd00::1"] } }, refused: undefined },
  { from: {}, to: { tls: { names: ["etcd.ex\u00e4mple.com"] } }, refused: /should match/u },
  { from: {}, to: { auth: { enabled: true } }, refused: undefined },
  { from: { tls: { mode: "Off" } }, to: { auth: { enabled: true } }, refused: /auth needs TLS/u },
  {
    from: {},
    to: { auth: { users: [{ name: "a", roles: ["raeder"] }], roles: READER } },
    refused: /a role that is not defined/u,
  },
  { from: {}, to: { auth: { users: [{ name: "a", roles: ["reader", "root"] }], roles: READER } }, refused: undefined },
  { from: {}, to: { auth: allowing({}) }, refused: /no empty key/u },
  { from: {}, to: { auth: allowing({ prefix: true }) }, refused: undefined },
  { from: {}, to: { auth: allowing({ key: "b", rangeEnd: "a" }) }, refused: /must be after key/u },
  { from: {}, to: { auth: allowing({ key: "b", rangeEnd: "b" }) }, refused: /must be after key/u },
  { from: {}, to: { auth: allowing({ key: "b", rangeEnd: "c" }) }, refused: undefined },
  { from: {}, to: { auth: allowing({ key: "b", rangeEnd: "\0" }) }, refused: undefined },
  { from: {}, to: { tls: { mode: "Provided" } }, refused: /must name the three Secrets/u },
  { from: {}, to: { maintenance: { compaction: { mode: "Revision", retention: "1h" } } }, refused: /a number/u },
];

test("an impossible change is rejected on write, with the reason", async () => {
  await using bed = await startWorld();
  await bed.world.crash();
  for (const [at, { from, to, refused }] of CHANGES.entries()) {
    const base = { size: 3, version: "3.6.16", ...from };
    await bed.world.apply(EtcdCluster, `c${at}`, { spec: base });
    const change = bed.world.apply(EtcdCluster, `c${at}`, { spec: { ...base, ...to } });
    if (refused === undefined) await change;
    else await assert.rejects(change, refused, JSON.stringify(to));
  }
});

test("a backup has exactly one store, and a restore in place repeats the name", async () => {
  await using bed = await startWorld();
  const volume = { claim: "backups" };
  const s3 = { bucket: "backups", credentials: "s3" };
  await assert.rejects(
    bed.world.apply(EtcdBackup, "b", { spec: { cluster: "e", store: { volume, s3 } as never } }),
    /exactly one/u,
  );
  const restore = { cluster: "e", store: { volume }, overwrite: "other" };
  await assert.rejects(bed.world.apply(EtcdRestore, "r", { spec: restore }), /repeat the name/u);
});
