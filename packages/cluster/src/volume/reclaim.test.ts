import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersistentVolume } from "@capstan/kinds/v1";
import { reclaimOf, type ReclaimAction } from "./reclaim.ts";

const own = "example.test/own";

function volume(
  spec: NonNullable<PersistentVolume["spec"]>,
  annotations: Record<string, string> = {},
): PersistentVolume {
  const metadata = {
    name: "v",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2030-01-01T00:00:00Z",
    annotations,
  };
  return { apiVersion: "v1", kind: "PersistentVolume", metadata, spec };
}

const by = (provisioner: string): Record<string, string> => ({ "pv.kubernetes.io/provisioned-by": provisioner });
const hostPath = { hostPath: { path: "/var/lib" } };
const nfs = { nfs: { server: "s", path: "/p" } };
const noPlugin = 'error getting deleter volume plugin for volume "v": no deletable volume plugin matched';
const onlyTmp = "host_path deleter only supports /tmp/.+ but received provided";

const cases: readonly (readonly [string, PersistentVolume, ReclaimAction])[] = [
  ["one of our own goes with its files", volume(hostPath, by(own)), { do: "remove", path: "/var/lib" }],
  ["one of another provisioner is its provisioner's", volume(hostPath, by("other.test/p")), { do: "leave" }],
  [
    "one that was moved to a driver is the driver's",
    volume(hostPath, { "pv.kubernetes.io/migrated-to": "d" }),
    { do: "leave" },
  ],
  ["one of a driver is the driver's", volume({ csi: { driver: "d", volumeHandle: "h" } }), { do: "leave" }],
  [
    "a folder below /tmp goes, but not its files",
    volume({ hostPath: { path: "/tmp/x" } }),
    { do: "remove", path: undefined },
  ],
  ["/tmp itself fails", volume({ hostPath: { path: "/tmp/" } }), { do: "fail", why: `${onlyTmp} /tmp/` }],
  ["any other folder fails", volume(hostPath), { do: "fail", why: `${onlyTmp} /var/lib` }],
  ["a volume without deleter fails", volume(nfs), { do: "fail", why: noPlugin }],
  [
    "an unknown volume type fails",
    volume({ local: { path: "/p" } }),
    { do: "fail", why: noPlugin.replace("deletable ", "") },
  ],
  [
    "a volume of a removed in-tree provisioner fails",
    volume(nfs, by("kubernetes.io/glusterfs")),
    { do: "fail", why: "no volume plugin matched name: kubernetes.io/glusterfs" },
  ],
];

for (const [name, given, expected] of cases)
  test(`reclaim with policy Delete: ${name}`, () => {
    assert.deepEqual(reclaimOf(given, own), expected);
  });
