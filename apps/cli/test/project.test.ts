import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { isAlive, markOf } from "../src/embedded/record.ts";
import { compilerErrors } from "./compiler.ts";
import { capstan, type Ran } from "./terminal.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const run = promisify(execFile);

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-project-"));
});
after(() => rm(folder, { recursive: true, force: true }));

const inFolder = (...path: string[]): { cwd: string } => ({ cwd: join(folder, ...path) });

async function mustRun(words: string, at: { cwd: string }): Promise<Ran> {
  const ran = await capstan(words.split(" "), at);
  assert.equal(ran.code, 0, `${words}: ${ran.err}`);
  return ran;
}

async function npm(root: string, ...words: string[]): Promise<string> {
  // A test runner inside a test runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _, PATH, ...rest } = process.env;
  const env = { ...rest, PATH: `${join(root, "node_modules/.bin")}:${PATH}` };
  const { stdout } = await run("npm", ["run", "--silent", ...words], { cwd: root, env });
  return stdout;
}

/** The compiler's errors in the project's own files, without those in the linked checkout. */
async function typeErrors(root: string): Promise<string[]> {
  try {
    await npm(root, "check");
    return [];
  } catch (error) {
    return compilerErrors(error).filter((line) => line.startsWith("src/"));
  }
}

async function list(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map(({ name }) => name);
}

/** A test that runs in the fresh project, on its controller. */
const hardTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "capstan/kinds/v1";
import { testOperator } from "capstan/testing";
import { AppService } from "./app-service.ts";
import { app } from "./main.ts";

test("a new image reaches the pod, and a new command is refused", async () => {
  await using world = await testOperator(app);
  await world.apply(AppService, "one", {});
  await world.settle();
  await world.apply(AppService, "one", { spec: { image: "busybox:1.38" } });
  await world.settle();
  assert.equal((await world.get(Pod, "one-pod"))?.spec?.containers[0]?.image, "busybox:1.38");
  const changed = world.apply(AppService, "one", { spec: { command: ["sleep", "1"] } });
  await assert.rejects(changed, /spec.command.*cannot be changed once it is set/);
});

test("what fails is told in the status", async () => {
  await using world = await testOperator(app);
  await world.apply(AppService, "one", {});
  await world.settle();
  await world.applyStatus(Pod, "one-pod", { phase: "Running" });
  await world.settle();
  assert.equal((await world.get(AppService, "one"))?.status?.conditions?.[0]?.status, "True");
  await world.apply(AppService, "one", { spec: { image: " no image " } });
  await world.advance("1m");
  const [ready] = (await world.get(AppService, "one"))?.status?.conditions ?? [];
  assert.deepEqual([ready?.status, ready?.observedGeneration], ["False", 2]);
  assert.match(ready?.message ?? "", /image/);
});

test("the longest name gets a pod and a status", async () => {
  await using world = await testOperator(app);
  const name = "a".repeat(253);
  await world.apply(AppService, name, {});
  await world.settle();
  const { status } = (await world.get(AppService, name)) ?? assert.fail();
  assert.equal((await world.get(Pod, status?.pod ?? ""))?.spec?.containers.length, 1);
});
`;

suite("a new project", () => {
  test("has thirteen files, compiles, and its test passes", async () => {
    const { out } = await mustRun(`init app-operator --capstan ${checkout}`, inFolder());
    assert.match(out, /Its kind is AppService \(app\.example\.com\/v1alpha1\); --kind and --group name another one/);
    const root = join(folder, "app-operator");
    assert.equal((await list(root)).length, 13);
    assert.deepEqual(await typeErrors(root), []);
    assert.match(await npm(root, "test"), /pass 1\n/);
  });

  test("follows its spec, reports failures in the status, and takes long names", async () => {
    const root = join(folder, "app-operator");
    await writeFile(join(root, "src/hard.test.ts"), hardTest);
    assert.match(await npm(root, "test"), /pass 4\n/);
    await rm(join(root, "src/hard.test.ts"));
  });

  test("grows by kinds of every sort, and still compiles and passes", async () => {
    const at = inFolder("app-operator");
    await mustRun("create api --group cache --version v1 --kind Redis --image redis:8 --image-port 6379", at);
    await mustRun("create api --group apps --version v1 --kind Deployment --no-resource", at);
    await mustRun("create api --group cert-manager.io --version v1 --kind Certificate --no-resource", at);
    await mustRun("create api --group app --version v1alpha1 --kind AppService --controller-name backup", at);
    await mustRun("create api --group web --version v1 --kind Site --no-namespaced", at);
    await mustRun("create api --group other --version v1 --kind Redis --no-controller", at);
    await mustRun("create webhook --kind AppService --validating --defaulting --conversion v1", at);
    await mustRun("rename --kind Site --to-kind Page", at);
    assert.deepEqual(await typeErrors(at.cwd), []);
    assert.match(await npm(at.cwd, "test"), /pass 4\n/);
    const { out: install } = await mustRun("generate manifests", at);
    for (const line of [
      "name: app-operator-webhook\n",
      "containerPort: 9443",
      "- app-operator-webhook-certificates\n",
    ]) {
      assert.ok(install.includes(line), `a program with webhooks needs ${line}`);
    }
    const { out } = await mustRun("generate crds", at);
    const kinds = [...out.matchAll(/^ {4}kind: (\w+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(kinds, ["AppService", "Page", "Redis", "Redis"], "a foreign CRD is not ours to ship");
  });

  test("may have kinds named like kinds of children, and like imports of tests", async () => {
    await mustRun(`init named --kind Pod --capstan ${checkout}`, inFolder());
    const at = inFolder("named");
    await mustRun("create api --group web --version v1 --kind Deployment --image nginx:1.29", at);
    await mustRun("create api --group web --version v1 --kind Test", at);
    await mustRun("create api --group web --version v1 --kind World", at);
    await mustRun("create api --group web --version v1 --kind Assert --no-controller", at);
    await mustRun("create api --group shop --version v1 --kind Assert --no-controller", at);
    assert.deepEqual(await typeErrors(at.cwd), []);
    assert.match(await npm(at.cwd, "test"), /pass 6\n/);
    assert.equal((await mustRun("generate crds", at)).out.match(/^kind: Custom/gm)?.length, 6);
    for (const words of ["--kind Pod --to-kind Page", "--kind World --to-kind Pod"]) {
      const { code, err } = await capstan(["rename", ...words.split(" ")], at);
      assert.equal(code, 3, err);
      assert.match(err, /Pod is also the name of what its controller makes/);
    }
  });

  test("can rename kinds named like identifiers of the program, and still passes", async () => {
    await mustRun(`init img-op --kind Image --capstan ${checkout}`, inFolder());
    const at = inFolder("img-op");
    for (const kind of ["Test", "Name", "Other"])
      await mustRun(`create api --group app --version v1alpha1 --kind ${kind}`, at);
    const mine =
      'import { Image, image } from "./image.ts";\nexport const mine = { image, names: [Image.kind, "Image"] };\n';
    await writeFile(join(at.cwd, "src/mine.ts"), mine);
    const other = join(at.cwd, "src/image.ts");
    await writeFile(other, (await readFile(other, "utf8")).replace("apply, status })", "apply, status, log })"));
    const words = ["rename", "--kind", "Image", "--to-kind", "Picture"];
    const refused = await capstan(words, { ...at, answers: ["n"] });
    assert.equal(refused.code, 1);
    assert.match(refused.out, /-import \{ image \} from "\.\/image\.ts";\n/, "the diff comes first");
    assert.equal(await readFile(join(at.cwd, "src/mine.ts"), "utf8"), mine, "and nothing happens without a yes");
    for (const [from, to] of [
      ["Image", "Picture"],
      ["Test", "Probe"],
      ["Name", "Title"],
      ["Other", "App"],
    ])
      await mustRun(`rename --kind ${from} --to-kind ${to} --yes`, at);
    assert.deepEqual(await typeErrors(at.cwd), []);
    assert.match(await npm(at.cwd, "test"), /pass 4\n/);
    const manifests = /run: npx capstan generate manifests --image example/;
    assert.match(await readFile(join(at.cwd, ".github/workflows/ci.yml"), "utf8"), manifests);
    assert.match(
      await readFile(join(at.cwd, "src/mine.ts"), "utf8"),
      /mine = \{ image: picture, names: \[Picture\.kind, "Image"\] \}/,
    );
    const { out } = await mustRun("delete api --kind App", at);
    assert.doesNotMatch(out, /leave/, "what the tool wrote, it takes away");
  });

  test("deletes a kind, except for files that the user changed", async () => {
    const at = inFolder("app-operator");
    await writeFile(join(at.cwd, "src/page.ts"), `${await readFile(join(at.cwd, "src/page.ts"), "utf8")}// mine\n`);
    const { out } = await mustRun("delete api --kind Page", at);
    assert.match(out, /leave {4}src\/page\.ts/);
    assert.doesNotMatch(await readFile(join(at.cwd, "src/main.ts"), "utf8"), /page/);
    assert.match(await readFile(join(at.cwd, "src/page.ts"), "utf8"), /mine/);
  });

  test("asks questions on a terminal", async () => {
    const { code, err } = await capstan(["init", "--domain", "acme.org"], {
      cwd: folder,
      answers: ["asked-operator", "Widget", "shop"],
    });
    assert.equal(code, 0, err);
    assert.match(await readFile(join(folder, "src/widget.ts"), "utf8"), /group: "shop\.acme\.org"/);
  });

  test("carries licence headers", async () => {
    await mustRun("init licensed --license apache2 --owner Acme", inFolder());
    const main = await readFile(join(folder, "licensed/src/main.ts"), "utf8");
    assert.match(main, /^\/\/ SPDX-FileCopyrightText: \d{4} Acme\n\/\/ SPDX-License-Identifier: Apache-2\.0\n/);
  });
});

suite("upgrade", () => {
  test("shows the diff, asks, merges, and has nothing left to do", async () => {
    await mustRun("init old-operator", inFolder());
    const at = inFolder("old-operator");
    for (const file of ["capstan.json", "package.json"]) {
      const text = await readFile(join(at.cwd, file), "utf8");
      const aged = text.replaceAll(/"(capstan|@capstan\/cli)": "0\.1\.0"/g, '"$1": "0.0.9"');
      const mine =
        file === "package.json" ? aged.replace('"scripts": {', '"scripts": {\n    "mine": "echo mine",') : aged;
      await writeFile(join(at.cwd, file), mine);
    }
    const shown = await mustRun("upgrade --dry-run", at);
    assert.match(shown.out, /-.*"capstan": "0\.0\.9"[\s\S]*\+.*"capstan": "0\.1\.0"/);
    assert.equal((await capstan(["upgrade"], { ...at, answers: ["n"] })).code, 1);
    assert.match(await readFile(join(at.cwd, "package.json"), "utf8"), /0\.0\.9/);
    await mustRun("upgrade --yes", at);
    const upgraded = await readFile(join(at.cwd, "package.json"), "utf8");
    assert.match(upgraded, /"capstan": "0\.1\.0"/);
    assert.match(upgraded, /"mine": "echo mine"/);
    assert.equal((await mustRun("upgrade", at)).out, "up to date\n");
  });

  test("marks conflicts with exit code 5 and loses nothing", async () => {
    await mustRun("init torn-operator", inFolder());
    const at = inFolder("torn-operator");
    const main = join(at.cwd, "src/main.ts");
    const text = await readFile(main, "utf8");
    await writeFile(main, text.replace("controllers: [\n    appService,\n  ],", "controllers: everyController,"));
    const { code, err } = await capstan(["create", "api", "--group", "a", "--version", "v1", "--kind", "Other"], at);
    assert.equal(code, 5, err);
    const merged = await readFile(main, "utf8");
    assert.match(merged, /<<<<<<< yours\n {2}controllers: everyController,\n=======/);
    assert.match(merged, /other,\n/);
  });

  test("adds a kind to a project that a formatter rewrote", async () => {
    await mustRun("init formatted-operator", inFolder());
    const at = inFolder("formatted-operator");
    const main = join(at.cwd, "src/main.ts");
    const text = await readFile(main, "utf8");
    const formatted = text.replace("controllers: [\n    appService,\n  ],", "controllers: [appService],");
    assert.notEqual(formatted, text);
    await writeFile(main, formatted.replaceAll('"', "'").replaceAll(";", ""));
    await mustRun("create api --group a --version v1 --kind Other", at);
    const merged = await readFile(main, "utf8");
    assert.match(merged, /controllers: \[appService, other\],/);
    assert.match(merged, /^import \{ other \} from "\.\/other\.ts"/m);
  });
});

suite("bad input", () => {
  for (const [words, code, sentence] of [
    ["init App_Operator", 3, /cannot name a project/],
    ["init x --kind lower", 3, /is not a kind/],
    ["init x --group Bad.Group", 3, /is not a group/],
    ["init x --version 1", 3, /is not a version/],
    ["init x --domain ..", 3, /is not a domain/],
    ["init x --image-port 80", 2, /need --image/],
    ["init x --image nginx --image-port 99999", 3, /between 1 and 65535/],
    ["init x --owner me", 2, /--license/],
    ["init x --license-file nowhere", 7, /nowhere/],
    ["init x --image not..an//image", 3, /not\.\.an\/\/image/],
    ["init -- --x", 3, /"--x" cannot name a project/],
    ["init /proc/foo", 7, /cannot make \/proc\/foo: no folder can be made there/],
    ["generate crds --entry nope.ts", 3, /there is no file nope\.ts/],
    ["init x --license-file .", 7, /cannot read \S+: it is a folder/],
    ["init x --kind Main", 3, /the kind Main cannot be src\/main\.ts: that is the file that starts the operator/],
  ] as const) {
    test(`${words} is rejected in one sentence, and nothing is written`, async () => {
      const before = await readdir(folder);
      const ran = await capstan(words.split(" "), inFolder());
      assert.equal(ran.code, code, ran.err);
      assert.match(ran.err, sentence);
      assert.equal(ran.err.trimEnd().split("\n").length, 1);
      assert.deepEqual(await readdir(folder), before);
    });
  }

  for (const [words, sentence] of [
    ["--kind Main", /the kind Main cannot be src\/main\.ts/],
    ["--kind APPService", /the kind APPService cannot be src\/app-service\.ts: that is the kind AppService/],
    ["--kind AppServiceBackup", /src\/app-service-backup\.ts: that is the controller backup of AppService/],
    ["--kind Other --plural appservices --group app", /the kind Other cannot be appservices\.app\.example\.com/],
  ] as const) {
    test(`create api ${words} does not overwrite existing files`, async () => {
      await mustRun("init crowded", inFolder());
      const at = inFolder("crowded");
      await mustRun("create api --group app --version v1alpha1 --kind AppService --controller-name backup", at);
      const texts = async (): Promise<string[]> =>
        Promise.all((await readdir(join(at.cwd, "src"))).map((name) => readFile(join(at.cwd, "src", name), "utf8")));
      const before = await texts();
      const ran = await capstan(["create", "api", "--group", "web", "--version", "v1", ...words.split(" ")], at);
      assert.equal(ran.code, 3, ran.err);
      assert.match(ran.err, sentence);
      assert.equal(ran.err.trimEnd().split("\n").length, 1);
      assert.deepEqual(await texts(), before);
      await rm(at.cwd, { recursive: true });
    });
  }

  test("outside of a project, commands fail with exit code 4", async () => {
    const empty = join(folder, "empty");
    await mkdir(empty);
    // A project in a parent folder would be found, so there must be none.
    await rm(join(folder, "capstan.json"), { force: true });
    for (const words of [
      "create api --group a --version v1 --kind B",
      "delete api --kind B",
      "upgrade",
      "generate crds",
    ]) {
      assert.equal((await capstan(words.split(" "), { cwd: empty })).code, 4, words);
    }
  });

  test("init does not overwrite a project or a file", async () => {
    await mustRun("init twice", inFolder());
    assert.equal((await capstan(["init", "twice"], inFolder())).code, 4);
    await mkdir(join(folder, "taken"));
    await writeFile(join(folder, "taken/README.md"), "mine\n");
    const { code, err } = await capstan(["init", "taken"], inFolder());
    assert.equal(code, 4);
    assert.match(err, /README\.md is in the way/);
    assert.deepEqual(await readdir(join(folder, "taken")), ["README.md"]);
    await writeFile(join(folder, "plain-file"), "");
    assert.equal((await capstan(["init", "plain-file"], inFolder())).code, 4);
  });

  test("a corrupt record fails with what to do", async () => {
    await mustRun("init spoilt", inFolder());
    await writeFile(join(folder, "spoilt/capstan.json"), "{");
    const { code, err } = await capstan(["upgrade"], inFolder("spoilt"));
    assert.equal(code, 3);
    assert.match(err, /restore it from version control/);
  });

  test("a program that cannot be loaded is named", async () => {
    const broken = join(folder, "broken.ts");
    await writeFile(broken, "throw new Error('oh no');\n");
    const ran = await capstan(["generate", "crds", "--entry", broken], inFolder());
    assert.equal(ran.code, 3);
    assert.match(ran.err, /cannot load .*broken\.ts: Error: oh no \(\S*broken\.ts:1:\d+\)\n$/);
    const empty = join(folder, "nothing.ts");
    await writeFile(empty, "export const x = 1;\n");
    assert.match(
      (await capstan(["generate", "crds", "--entry", empty], inFolder())).err,
      /exports neither an operator nor a resource/,
    );
  });

  test("a project without a kind gets the advice to create one", async () => {
    await mustRun(`init none-yet --bare --capstan ${checkout}`, inFolder());
    await mustRun(`init none-left --capstan ${checkout}`, inFolder());
    await mustRun("delete api --kind AppService", inFolder("none-left"));
    for (const name of ["none-yet", "none-left"]) {
      const { code, err } = await capstan(["generate", "crds"], inFolder(name));
      assert.equal(code, 3);
      assert.match(err, /^capstan: the operator has no controller yet, .*: add a kind with `capstan create api`\n$/);
    }
  });

  test("another version of a kind fails with the command that adds it", async () => {
    await mustRun("init versions", inFolder());
    const words = "create api --group app --version v1beta1 --kind AppService".split(" ");
    const { code, err } = await capstan(words, inFolder("versions"));
    assert.equal(code, 3);
    const line = /capstan (create webhook --kind AppService --conversion v1beta1)\n$/.exec(err)?.[1];
    await mustRun(line ?? assert.fail(err), inFolder("versions"));
  });

  test("a file in place of a folder leaves nothing half written", async () => {
    const half = join(folder, "half");
    await mkdir(half);
    await writeFile(join(half, "src"), "");
    assert.equal((await capstan(["init", "half"], inFolder())).code, 7);
    assert.deepEqual(await readdir(half), ["src"]);
  });
});

suite("capstan dev", () => {
  test("runs the operator, reloads it, survives a broken source, and explains", async () => {
    await mustRun(`init dev-operator --capstan ${checkout}`, inFolder());
    const root = join(folder, "dev-operator");
    const main = join(checkout, "apps/cli/src/main.ts");
    const child = spawn(
      process.execPath,
      ["--conditions=@capstan/source", main, "dev", "--apply", "samples/app-service.yaml"],
      {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
    const saying = async (pattern: RegExp): Promise<void> => {
      for (let tries = 0; !pattern.test(said); tries++) {
        if (tries > 2_400 || child.exitCode !== null) assert.fail(`waited for ${pattern} in:\n${said}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    try {
      await saying(/AppService default\/example-app-service Ready=True/);
      assert.match((await mustRun("explain appservice/example-app-service", { cwd: root })).out, /wrote {5}apply Pod/);
      assert.match((await mustRun("plan", { cwd: root })).out, /Nothing would be written/);
      await mustRun("pause appservice/example-app-service", { cwd: root });
      await saying(/paused Ready=True/);
      await mustRun("resume appservice/example-app-service", { cwd: root });
      const file = join(root, "src/app-service.ts");
      const text = await readFile(file, "utf8");
      said = "";
      await writeFile(file, `${text}\nthis is no program(\n`);
      await saying(/src\/app-service\.ts changed: reloading/);
      await saying(/cannot load .*main\.ts: SyntaxError: .*app-service\.ts:\d+/);
      await saying(/the program as it was before runs on/);
      assert.equal(said.match(/SyntaxError/g)?.length, 1, `an error is told once:\n${said}`);
      said = "";
      const condition = /status\.condition\("Ready",[^]*?\);/;
      assert.match(text, condition);
      await writeFile(file, text.replace(condition, 'status.condition("Ready", false, "the program is new");'));
      await saying(/ready in \d+ ms/);
      await saying(/example-app-service Ready=False \(the program is new\)/);
      const second = await capstan(["dev"], { cwd: root });
      assert.equal(second.code, 4, "a folder has one session");
      assert.match(second.err, /runs here already/);
      assert.match((await mustRun("explain appservice/example-app-service", { cwd: root })).out, /wrote/);
      said = "";
      const missing = await capstan(["pause", "appservice/missing"], { cwd: root });
      assert.equal(missing.code, 1, missing.err);
      const unknown = await capstan(["explain", "nosuch/thing"], { cwd: root });
      assert.equal(unknown.code, 3);
      assert.match(unknown.err, /there is no controller "nosuch": the operator has appservice\n/);
    } finally {
      child.kill("SIGTERM");
    }
    const code = await new Promise((resolve) => child.once("exit", resolve));
    assert.equal(code, 0, said);
    assert.ok(!(await readdir(root)).includes(".capstan"), "it leaves nothing behind");
  });

  test("stops at once while a program never finishes loading, and leaves nothing", async (t) => {
    const root = await mkdtemp(join(tmpdir(), "capstan-stuck-"));
    t.after(() => rm(root, { recursive: true, force: true }));
    const stuck = `import { writeFileSync } from "node:fs";
writeFileSync(new URL("loading", import.meta.url), String(process.pid));
setInterval(() => {}, 1_000);
await new Promise(() => {});
`;
    await writeFile(join(root, "main.mjs"), stuck);
    const main = join(checkout, "apps/cli/src/main.ts");
    const words = ["--conditions=@capstan/source", main, "dev", "--entry", "main.mjs"];
    const child = spawn(process.execPath, words, { cwd: root, stdio: "ignore" });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    let pid = 0;
    for (
      const end = Date.now() + 60_000;
      pid === 0;
      pid = Number(await readFile(join(root, "loading"), "utf8").catch(() => "0"))
    ) {
      assert.ok(Date.now() < end && child.exitCode === null, "the program is being loaded");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGINT");
    assert.equal(await ended, 0);
    assert.deepEqual((await readdir(root)).sort(), ["loading", "main.mjs"]);
    for (const end = Date.now() + 60_000; isAlive(markOf(pid));) {
      assert.ok(Date.now() < end, "the process that loads it is gone");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});
