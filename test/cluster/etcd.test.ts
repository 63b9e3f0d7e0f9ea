import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { openHome, type Ran } from "./embedded.ts";
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
    // Read from its own disk, without contacting the others.
    const words = ["get", "color", "--consistency=s", "--print-value-only"];
    await until("it has the value", async () => (await etcdctl(target, "etcd-1", words)) === "green");
    const members = await until("all members are listed", () => etcdctl(target, "etcd-1", ["member", "list"]));
    assert.equal(members.split("\n").length, 3);
  });
}

describe("on embedded", { skip: embedded?.skip ?? false, concurrency: false }, () => {
  test("the networks of two clusters are isolated", async () => {
    await using home = await openHome();
    await using _ended = { [Symbol.asyncDispose]: async () => void (await home.capstan(["cluster", "stop", "--all"])) };
    for (const name of ["one", "two"]) {
      const { code, err } = await home.capstan(["cluster", "start", "--name", name, "--pods", "real"]);
      assert.equal(code, 0, err);
    }
    const { out } = await home.capstan(["cluster", "list", "-o", "json"]);
    assert.deepEqual(
      (JSON.parse(out) as { name: string }[]).map((one) => one.name),
      ["one", "two"],
    );
    const enter = (name: string, ...words: string[]): Promise<Ran> =>
      home.capstan(["cluster", "exec", "--name", name, "--", ...words]);
    // Name, links and addresses with one command: each command takes the start of a process.
    const script = "getent hosts kubernetes.default.svc.cluster.local; ip -o link; ip -4 -o addr";
    const [one = "", two = ""] = await Promise.all(
      ["one", "two"].map(async (name) => (await enter(name, "sh", "-c", script)).out),
    );
    for (const said of [one, two]) {
      assert.match(said, /^10\.0\.0\.1 /);
      assert.deepEqual(said.match(/^\d+: \w+:/gm), ["1: lo:"], "it has its loopback and no line to anybody");
    }
    const addressesOf = (said: string): readonly string[] => said.match(/(?<=inet )[\d.]+(?=\/32)/g) ?? [];
    const [address = "", ...others] = addressesOf(one);
    assert.deepEqual(addressesOf(two), [address, ...others], "both have the same addresses");
    // A server listens at one of the addresses in one cluster only.
    const listener =
      "const s=require('net').createServer(c=>c.on('data',d=>c.end('one',()=>String(d)==='stop'&&process.exit())));s.listen(7777,process.argv[1])";
    const ask = async (name: string, word: string): Promise<string> => {
      const caller =
        "const c=require('net').connect(7777,process.argv[1],()=>c.write(process.argv[2]));const say=w=>process.stdout.write(w,()=>process.exit());c.on('data',d=>say(String(d)));c.on('error',e=>say(e.code))";
      return (await enter(name, process.execPath, "-e", caller, address, word)).out.trim();
    };
    const listening = enter("one", process.execPath, "-e", listener, address);
    await until("one hears itself", async () => (await ask("one", "hello")) === "one");
    assert.equal(await ask("two", "hello"), "ECONNREFUSED");
    assert.equal(await ask("one", "stop"), "one");
    assert.equal((await listening).code, 0);
    assert.equal((await home.capstan(["cluster", "stop", "--all"])).code, 0);
    assert.equal((await home.capstan(["cluster", "list", "-o", "json"])).out.trim(), "[]");
  });
});
