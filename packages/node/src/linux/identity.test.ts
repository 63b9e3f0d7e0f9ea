import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { identityOf } from "./identity.ts";

describe("the user of a container", () => {
  let root = "";
  before(async () => {
    root = await mkdtemp(join(tmpdir(), "identity-"));
    await mkdir(join(root, "etc"));
    await writeFile(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nweb:x:33:34:::/bin/sh\n");
    await writeFile(join(root, "etc/group"), "root:x:0:\nwww:x:34:\nextra:x:77:web\n");
  });
  after(() => rm(root, { recursive: true }));

  const pod = {
    apiVersion: "v1" as const,
    kind: "Pod" as const,
    metadata: { name: "p", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" },
    spec: { containers: [{ name: "c" }] },
  };
  const of = (imageUser: string, securityContext: { runAsUser?: number; runAsGroup?: number } = {}) =>
    identityOf({ pod, container: { name: "c", image: "i", securityContext }, imageUser, root });

  for (const [imageUser, uid, gid, groups, home] of [
    ["", 0, 0, [0], "/root"],
    ["web", 33, 34, [34, 77], "/"],
    ["33", 33, 34, [34, 77], "/"],
    ["1000", 1000, 0, [0], "/"],
    // As with kubelet and containerd: the group of the image's user is ignored.
    ["1000:1001", 1000, 0, [0], "/"],
    ["web:root", 33, 34, [34, 77], "/"],
  ] as const) {
    test(`of an image with the user ${JSON.stringify(imageUser)}`, async () => {
      assert.deepEqual(await of(imageUser), { uid, gid, groups, home });
    });
  }

  test("numbers above the range of Linux are names", async () => {
    await assert.rejects(of("99999999999999"), /unable to find user 99999999999999/);
  });

  test("an image cannot name an id that the kernel would truncate to root", async (t) => {
    const other = await mkdtemp(join(tmpdir(), "identity-"));
    t.after(() => rm(other, { recursive: true }));
    await mkdir(join(other, "etc"));
    const range = /uids and gids must be in range 0-2147483647/;
    for (const [passwd, group] of [
      ["web:x:4294967296:0:::", ""],
      ["web:x:4294967295:0:::", ""],
      ["web:x:-1:0:::", ""],
      ["web:x:33:4294967296:::", ""],
      ["web:x:33:34:::", "extra:x:4294967296:web"],
    ] as const) {
      await writeFile(join(other, "etc/passwd"), `${passwd}\n`);
      await writeFile(join(other, "etc/group"), `${group}\n`);
      const identity = identityOf({ pod, container: { name: "c", image: "i" }, imageUser: "web", root: other });
      await assert.rejects(identity, range, `${passwd} ${group}`);
    }
  });

  test("a huge passwd file is not read", async (t) => {
    const large = await mkdtemp(join(tmpdir(), "identity-"));
    t.after(() => rm(large, { recursive: true }));
    await mkdir(join(large, "etc"));
    await writeFile(join(large, "etc/passwd"), "\n".repeat(2 ** 20 + 1));
    const identity = identityOf({ pod, container: { name: "c", image: "i" }, imageUser: "web", root: large });
    await assert.rejects(identity, /etc\/passwd of the image has 1048577 bytes/);
  });

  test("supplementalGroupsPolicy Strict ignores the groups of the image", async () => {
    const securityContext = { supplementalGroups: [9], fsGroup: 8, supplementalGroupsPolicy: "Strict" as const };
    const strict = { ...pod, spec: { ...pod.spec, securityContext } };
    const identity = identityOf({ pod: strict, container: { name: "c", image: "i" }, imageUser: "web", root });
    assert.deepEqual(await identity, { uid: 33, gid: 34, groups: [34, 9, 8], home: "/" });
  });

  test("the pod's securityContext overrides the image", async () => {
    assert.deepEqual(await of("web", { runAsUser: 5, runAsGroup: 6 }), { uid: 5, gid: 6, groups: [6], home: "/" });
  });
});
