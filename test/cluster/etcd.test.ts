import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { openHome } from "./embedded.ts";
import { etcdctl, etcdImage, startEtcd, untilMembers } from "./etcd-set.ts";
import { stages } from "./target.ts";
import { until } from "./until.ts";

const [embedded] = stages;

for (const { name, skip, open } of stages) {
  test(`on ${name}, three etcd members keep their data through the deletion of a pod`, { skip }, async (t) => {
    const target = await open(t, [etcdImage]);
    const { client, namespace } = target;
    await startEtcd(target);
    await until("a value is written", () => etcdctl(target, "etcd-0", ["put", "color", "green"]));
    const { uid } = (await client.get(Pod, { namespace, name: "etcd-1" })).metadata;
    await client.delete(Pod, { namespace, name: "etcd-1" });
    await until("another pod has taken its place", async () => {
      const pod = await client.get(Pod, { namespace, name: "etcd-1" }).catch(() => undefined);
      return pod !== undefined && pod.metadata.uid !== uid;
    });
    await untilMembers(target);
    // Read from its own disk: what it holds without asking the others.
    const read = await until("it answers", () =>
      etcdctl(target, "etcd-1", ["get", "color", "--consistency=s", "--print-value-only"]),
    );
    assert.equal(read, "green");
    const members = await until("all members are listed", () => etcdctl(target, "etcd-1", ["member", "list"]));
    assert.equal(members.split("\n").length, 3);
  });
}

describe("on embedded", { skip: embedded?.skip ?? false, concurrency: false }, () => {
  test("the network of one cluster knows nothing of another's", async () => {
    await using home = await openHome();
    for (const name of ["one", "two"]) {
      const { code, err } = await home.capstan(["cluster", "start", "--name", name, "--pods", "real"]);
      assert.equal(code, 0, err);
    }
    const { out } = await home.capstan(["cluster", "list", "-o", "json"]);
    assert.deepEqual(
      (JSON.parse(out) as { name: string }[]).map((one) => one.name),
      ["one", "two"],
    );
    const script = "getent hosts kubernetes.default.svc.cluster.local && ls /sys/class/net | wc -l";
    const said = await home.capstan(["cluster", "exec", "--name", "one", "--", "sh", "-c", script]);
    assert.match(said.out, /^10\.0\.0\.1 /);
    assert.equal((await home.capstan(["cluster", "stop", "--all"])).code, 0);
    assert.equal((await home.capstan(["cluster", "list", "-o", "json"])).out.trim(), "[]");
  });
});
