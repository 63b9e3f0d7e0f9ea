import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "@capstan/client";
import { ConfigMap, Pod, Secret, ServiceAccount } from "@capstan/kinds/v1";
import { busybox, eventually, isReady, skip, startRealWorld, type RealWorld } from "./real-world.ts";

let world: RealWorld;
/** How far the node's wall clock is ahead. */
let ahead = 0;
const clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
before(async () => {
  if (skip === false) world = await startRealWorld({ clock });
});
after(async () => {
  if (skip === false) await world[Symbol.asyncDispose]();
});

const sleeper = { name: "main", image: busybox, command: ["sleep", "1000"] };
const cat = (pod: string, path: string): Promise<string> => world.inside(pod, ["sh", "-c", `cat ${path} 2>&1; true`]);

test("a projected volume follows its objects atomically", { skip }, async () => {
  const metadata = (name: string): { readonly namespace: string; readonly name: string } => ({
    namespace: "default",
    name,
  });
  await world.client.create(ConfigMap, { metadata: metadata("config"), data: { color: "red", size: "1" } });
  await world.client.create(Secret, { metadata: metadata("secret"), stringData: { password: "hush" } });
  const sources = [
    { configMap: { name: "config", items: [{ key: "color", path: "deep/color" }] } },
    { secret: { name: "secret" } },
    { configMap: { name: "later", optional: true } },
    { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
  ];
  const volumes = [{ name: "all", projected: { sources, defaultMode: 0o400 } }];
  const containers = [{ ...sleeper, volumeMounts: [{ name: "all", mountPath: "/all", readOnly: true }] }];
  await world.run("projected", { volumes, containers });
  await world.until("projected", "ready", isReady);
  assert.equal(await cat("projected", "/all/deep/color /all/password"), "redhush");
  assert.equal(await cat("projected", "/all/labels"), 'app="projected"');
  assert.match(await world.inside("projected", ["sh", "-c", "echo x > /all/password 2>&1; true"]), /Read-only/);
  await world.client.patch(ConfigMap, metadata("config"), { merge: { data: { color: "blue" } } });
  await world.client.create(ConfigMap, { metadata: metadata("later"), data: { late: "yes" } });
  await world.client.patch(Pod, metadata("projected"), { merge: { metadata: { labels: { more: "x" } } } });
  await eventually(
    "the new color",
    () => cat("projected", "/all/deep/color"),
    (text) => text === "blue",
  );
  await eventually(
    "the late one",
    () => cat("projected", "/all/late"),
    (text) => text === "yes",
  );
  await eventually(
    "the new label",
    () => cat("projected", "/all/labels"),
    (text) => text.includes('more="x"'),
  );
  await world.client.delete(ConfigMap, metadata("later"));
  await eventually(
    "the end of the late one",
    () => cat("projected", "/all/late"),
    (text) => text !== "yes",
  );
});

test("a pod has a service account token, renewed before it expires", { skip }, async () => {
  await world.client.create(ServiceAccount, { metadata: { namespace: "default", name: "worker" } });
  const serviceAccountToken = { path: "token", audience: "tests", expirationSeconds: 600 };
  const volumes = [{ name: "token", projected: { sources: [{ serviceAccountToken }] } }];
  const containers = [{ ...sleeper, volumeMounts: [{ name: "token", mountPath: "/token" }] }];
  await world.run("holder", { serviceAccountName: "worker", volumes, containers });
  await world.until("holder", "ready", isReady);
  const check = (token: string): void => {
    const [, claims = ""] = token.split(".");
    const { aud, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { aud: unknown; sub: unknown };
    assert.deepEqual([aud, sub], [["tests"], "system:serviceaccount:default:worker"]);
  };
  const first = await cat("holder", "/token/token");
  check(first);
  // 80 % of its lifetime are over.
  ahead += 490_000;
  const isAnother = (token: string): boolean => token !== first && token.split(".").length === 3;
  check(await eventually("a new token", () => cat("holder", "/token/token"), isAnother));
});

test("a subpath of a volume can be mounted, also with subPathExpr", { skip }, async () => {
  const env = [{ name: "WHO", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }];
  const volumeMounts = [
    { name: "data", mountPath: "/mine", subPathExpr: "of/$(WHO)" },
    { name: "data", mountPath: "/all" },
  ];
  const volumes = [{ name: "data", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } }];
  const script =
    "echo x > /mine/file; cat /all/of/parted/file; dd if=/dev/zero of=/all/big bs=1M count=2 2>&1 | grep -o 'No space'";
  assert.equal(await world.outputOf("parted", script, { env, volumeMounts }, { volumes }), "x\nNo space\n");
});

test("a user that may write to a volume may write to a new subpath", { skip }, async () => {
  const volumeMounts = [
    { name: "data", mountPath: "/part", subPath: "not/there" },
    { name: "data", mountPath: "/all" },
  ];
  const spec = { volumes: [{ name: "data", emptyDir: {} }], securityContext: { runAsUser: 1001, fsGroup: 77 } };
  const script = "touch /part/file && ls /all/not/there; stat -c %a /all /part";
  assert.equal(await world.outputOf("writer", script, { volumeMounts }, spec), "file\n2777\n2777\n");
});

test("a pod does not wait for a volume that no container mounts", { skip }, async () => {
  const volumes = [
    { name: "secret", secret: { secretName: "nobody-made-it" } },
    { name: "place", hostPath: { path: "/nobody/made/it", type: "File" as const } },
    { name: "claim", persistentVolumeClaim: { claimName: "nobody-made-it" } },
    { name: "room", emptyDir: { medium: "Memory" } },
  ];
  assert.equal(await world.outputOf("careless", "echo here", {}, { volumes }), "here\n");
  await world.client.delete(Pod, { namespace: "default", name: "careless" });
  const pods = (): Promise<readonly Pod[]> =>
    world.client
      .list(Pod, { namespace: "default", fieldSelector: "metadata.name=careless" })
      .all()
      .then(({ items }) => items);
  await eventually("the pod is gone", pods, (found) => found.length === 0);
});

test("a volume stays when its object is gone, and others are still updated", { skip }, async () => {
  const names = ["stays", "changes"];
  for (const name of names)
    await world.client.create(ConfigMap, { metadata: { namespace: "default", name }, data: { text: "one" } });
  const volumes = names.map((name) => ({ name, configMap: { name } }));
  const volumeMounts = names.map((name) => ({ name, mountPath: `/${name}` }));
  await world.run("half", {
    volumes,
    containers: [{ name: "main", image: busybox, command: ["sleep", "100000"], volumeMounts }],
  });
  await world.until("half", "ready", isReady);
  await world.client.delete(ConfigMap, { namespace: "default", name: "stays" });
  await world.client.patch(ConfigMap, { namespace: "default", name: "changes" }, { merge: { data: { text: "two" } } });
  const read = (): Promise<string> => world.inside("half", ["cat", "/stays/text", "/changes/text"]);
  await eventually("the new text", read, (text) => text === "onetwo");
});

test("a volume may be mounted over /sys", { skip }, async () => {
  const volumes = [{ name: "sys", hostPath: { path: "/sys" } }];
  const volumeMounts = [{ name: "sys", mountPath: "/sys" }];
  const output = await world.outputOf("exporter", "touch /sys/mine && ls /sys", { volumeMounts }, { volumes });
  assert.equal(output, "mine\n");
});
