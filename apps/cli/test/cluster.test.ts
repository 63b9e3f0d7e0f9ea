import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, loadConfig, processHost } from "@capstan/client";
import { Node } from "@capstan/kinds/v1";
import { capstan } from "./terminal.ts";

describe("capstan cluster", () => {
  let home = "";
  const run = (...words: string[]): ReturnType<typeof capstan> =>
    capstan(["cluster", ...words], {
      cwd: home,
      env: { ...process.env, HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_DATA_HOME: join(home, "data") },
    });

  before(async () => {
    home = await mkdtemp(join(tmpdir(), "cli-"));
  });
  after(async () => {
    await run("stop", "--all");
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  test("starts in the background, is listed, opened and stopped, and has a log", async () => {
    const started = await run(
      "start",
      "--name",
      "two",
      "--nodes",
      "2",
      "--pods",
      "simulated",
      "--kubeconfig-out",
      "kc",
    );
    assert.equal(started.code, 0, started.err);
    assert.match(started.out, /^cluster two is ready on https:\/\/127\.0\.0\.1:\d+ with 2 nodes and simulated pods\n/);
    assert.doesNotMatch(started.out, /cluster exec/, "simulated pods have no network to enter");
    assert.match((await run("list")).out, /^NAME +API SERVER +PODS +NODES +PID +AGE +DATA\ntwo +https:/);
    const [listed] = JSON.parse((await run("list", "-o", "json")).out) as [
      { readonly process: { readonly pid: number } },
    ];
    assert.ok((await readFile(`/proc/${listed.process.pid}/cmdline`, "utf8")).includes("\0--max-semi-space-size=1\0"));
    const { out: path } = await run("kubeconfig", "--name", "two", "--path");
    assert.equal(await readFile(join(home, "kc"), "utf8"), await readFile(path.trim(), "utf8"));
    await using client = createClient(await loadConfig(processHost(), { kubeconfig: path.trim() }));
    assert.equal((await client.list(Node, {}).all()).items.length, 2);
    assert.match((await run("logs", "--name", "two")).out, /^cluster two is ready/m);
    const again = await run("start", "--name", "two", "--pods", "simulated");
    assert.equal(again.code, 6);
    assert.match(again.err, /runs already/);
    const inside = await run("exec", "--name", "two", "--", "true");
    assert.match(inside.err, /simulated: it has no network to enter/);
    const fault = await run("fault", "cut", "web", "--name", "two");
    assert.match(fault.err, /simulated: they have no lines/);
    assert.match((await run("stop", "--name", "two")).out, /^cluster two has ended/);
    assert.equal((await run("list", "-o", "json")).out, "[]\n");
  });

  test("of several starts of one name at once, one succeeds and the others fail", async () => {
    const twin = (): ReturnType<typeof run> => run("start", "--name", "twin", "--pods", "simulated");
    const ended = await Promise.all([twin(), twin(), twin()]);
    const codes = ended.map(({ code }) => code).toSorted((a, b) => Number(a) - Number(b));
    assert.equal(codes.filter((code) => code === 0).length, 1, JSON.stringify(ended));
    for (const { code, err } of ended) if (code !== 0) assert.match(err, /the cluster twin runs already/);
    const list = JSON.parse((await run("list", "-o", "json")).out) as { readonly name: string }[];
    assert.deepEqual(
      list.map(({ name }) => name),
      ["twin"],
    );
    assert.match((await run("logs", "--name", "twin")).out, /^cluster twin is ready/m);
    assert.match((await run("stop", "--name", "twin")).out, /^cluster twin has ended/);
  });

  test("an interrupted start leaves no cluster", async () => {
    const before = process.listenerCount("SIGHUP");
    const starting = run("start", "--name", "never", "--pods", "simulated");
    while (process.listenerCount("SIGHUP") === before) await new Promise((resolve) => setImmediate(resolve));
    process.emit("SIGHUP");
    const { code, err } = await starting;
    assert.equal(code, 130, err);
    assert.match(err, /interrupted: the cluster never was stopped before it was ready/);
    assert.equal((await run("list", "-o", "json")).out, "[]\n");
    assert.equal(process.listenerCount("SIGHUP"), before);
  });

  test("reports errors of a command line", async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["start", "--nodes", "0"], 2, /--nodes must be a number up to 32/],
      [["start", "--nodes", "many"], 2, /--nodes must be a number/],
      [["start", "--kubernetes-port", "70000"], 2, /--kubernetes-port must be a number up to 65535/],
      [["start", "--pods", "fake"], 2, /real/],
      [["start", "--name", "No Name"], 2, /--name must be lower-case letters/],
      [["strt"], 2, /no command "cluster strt"; did you mean cluster start\? There is:\n {2}capstan cluster start /],
      [["images", "lst"], 2, /no command "cluster images"; did you mean cluster images list\?/],
      [["dance"], 2, /no command "cluster dance"; there is:\n/],
      [[], 2, /cluster alone is no command; there is:\n/],
      [["stop", "--name", "nothing"], 6, /does not run; capstan cluster start starts one/],
      [["stop", "nothing"], 2, /cluster stop cannot use the argument "nothing"; say --name nothing/],
      [["kubeconfig", "--name", "nothing"], 6, /does not run/],
      [["logs", "--name", "nothing"], 6, /there is no log/],
      [["exec"], 2, /say what to run/],
      [["fault", "explode", "pod"], 2, /say cut, delay, kill or heal/],
      [["fault", "cut"], 2, /say to whom/],
      [["fault", "heal", "pod", "--from", "other"], 2, /--from says between whom a line is cut: heal does not know it/],
      [["fault", "delay", "pod", "--by", "long"], 2, /--by must be milliseconds/],
      [["load-image", "not-there.tar"], 7, /not-there\.tar/],
      [["load-image"], 2, /say which archive to load/],
      [["load-image", "--program", "true"], 2, /--program and --tag belong together/],
      [["load-image", "--program", "not-there", "--tag", "some:1"], 3, /no program not-there/],
      [["images", "remove", "not-there:1"], 3, /no image not-there:1/],
    ];
    for (const [words, code, message] of cases) {
      const said = await run(...words);
      assert.equal(said.code, code, `${words.join(" ")}: ${said.err}`);
      assert.match(said.err, message);
    }
  });

  test("a failed start reports why, in background and foreground, without a stack", async () => {
    const longHome = join(home, "l".repeat(120));
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: longHome, XDG_DATA_HOME: join(home, "data") };
    for (const where of [[], ["--foreground"]]) {
      const words = ["cluster", "start", "--name", "long", "--pods", "simulated", ...where];
      const { code, err } = await capstan(words, { cwd: home, env });
      assert.notEqual(code, 0);
      assert.match(err, /too long for a socket; set XDG_STATE_HOME to a shorter folder\n$/);
      assert.doesNotMatch(err, /\n +at /);
    }
  });

  test("makes images of programs, lists them, and removes them with unused layers", async () => {
    for (const tag of ["first:1", "second:1"]) {
      const made = await run("load-image", "--program", "true", "--tag", tag);
      assert.equal(made.out, `loaded docker.io/library/${tag}\n`, made.err);
    }
    const titles = /^IMAGE +DIGEST +SIZE\n/;
    assert.match((await run("images", "list")).out, titles);
    assert.equal((await run("images", "remove", "first:1")).out, "removed docker.io/library/first:1\n");
    const [left, ...none] = JSON.parse((await run("images", "list", "-o", "json")).out) as {
      name: string;
      bytes: number;
    }[];
    assert.equal(left?.name, "docker.io/library/second:1");
    assert.ok(left.bytes > 0, "what the other name needs is still there");
    assert.deepEqual(none, []);
    const unpacked = join(home, "data/capstan/images/unpacked/root", `sha256-${"0".repeat(64)}`);
    await mkdir(unpacked, { recursive: true });
    assert.equal((await run("images", "remove", "docker.io/library/second:1")).code, 0);
    assert.deepEqual(await readdir(join(home, "data/capstan/images/blobs/sha256")), []);
    assert.deepEqual(await readdir(join(unpacked, "..")), []);
    assert.equal((await run("images", "list", "-o", "json")).out, "[]\n");
  });

  test("a port in use is reported, and nothing stays behind", async () => {
    const first = await run("start", "--name", "first", "--pods", "simulated");
    const port = /127\.0\.0\.1:(\d+)/.exec(first.out)?.[1] ?? "";
    const second = await run("start", "--name", "second", "--pods", "simulated", "--kubernetes-port", port);
    assert.notEqual(second.code, 0);
    assert.match(second.err, /EADDRINUSE/);
    assert.doesNotMatch((await run("list")).out, /second/);
    assert.equal((await run("stop", "--name", "first")).code, 0);
  });
});

test("capstan doctor lists the steps for real pods if something is missing", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nowhere";
  try {
    const { out } = await capstan(["doctor"], { env: { HOME: "/nowhere" } });
    assert.match(out, /absent +real pods +pods are simulated here/);
    if (process.platform !== "linux") return;
    assert.match(out, /for real pods:\n {2}- mount: install the package mount\n/);
    assert.doesNotMatch(out, /- bwrap:/, "it is looked for where the node runs it, whatever the search path is");
  } finally {
    process.env["PATH"] = path;
  }
});
