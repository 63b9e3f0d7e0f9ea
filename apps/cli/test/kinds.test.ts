/** What `create api` and `create webhook` add to a project, compared with kubebuilder and operator-sdk. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { promisify } from "node:util";
import { compilerErrors } from "./compiler.ts";
import { capstan } from "./terminal.ts";
import { checkout } from "./walk.ts";

/** Tests that run within the project, on its program. */
const inside = `import assert from "node:assert/strict";
import { test } from "node:test";
import { Deployment } from "capstan/kinds/apps/v1";
import { operator } from "capstan";
import { testOperator } from "capstan/testing";
import { deployment } from "./deployment.ts";
import { Redis, redis } from "./redis.ts";
import { Site, site } from "./site.ts";

test("image", async () => {
  await using world = await testOperator(operator({ name: "test", controllers: [redis] }));
  await world.apply(Redis, "store", { spec: { size: 2 } });
  await world.settle();
  const { spec } = (await world.get(Deployment, "store")) ?? assert.fail();
  const [container] = spec?.template.spec?.containers ?? [];
  assert.deepEqual([spec?.replicas, container?.image, container?.ports?.[0]?.containerPort], [2, "redis:8", 6379]);
});

test("hooks", async () => {
  await using world = await testOperator(operator({ name: "test", controllers: [site] }));
  await world.apply(Site, "shop", { spec: {} });
  assert.deepEqual((await world.get(Site, "shop"))?.spec.command, ["sleep", "3600"]);
  await assert.rejects(world.apply(Site, "shop", { spec: { image: "busybox:latest" } }), /name a version/);
});

test("versions", async () => {
  await using world = await testOperator(operator({ name: "test", controllers: [site] }));
  await world.apply(Site.as.v1, "shop", { spec: { image: "busybox:1.36" } });
  await world.settle();
  assert.equal((await world.get(Site.as.v2, "shop"))?.spec.image, "busybox:1.36");
  assert.equal((await world.get(Site.as.v1, "shop"))?.apiVersion, "web.example.com/v1");
});

test("foreign", async () => {
  await using world = await testOperator(operator({ name: "test", controllers: [deployment] }));
  await world.apply(Deployment, "somebodys", {
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "c" }] } },
    },
  });
  await world.settle();
  assert.equal(world.running.explain("deployment", "default/somebodys").length, 1);
});
`;

suite("a project with kinds of every sort", () => {
  let root = "";
  let passed: ReadonlySet<string> = new Set();
  const run = async (words: string): Promise<string> => {
    const ran = await capstan(words.split(" "), { cwd: root });
    assert.equal(ran.code, 0, `${words}: ${ran.err}`);
    return ran.out;
  };
  const node = (...words: string[]) => {
    // A test runner inside a test runner would report to the outer one.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return promisify(execFile)(process.execPath, words, { cwd: root, env });
  };

  before(async () => {
    root = await mkdtemp(join(tmpdir(), "capstan-kinds-"));
    await run(`init . --project-name kinds --kind AppService --capstan ${checkout}`);
    await run("create api --group cache --version v1 --kind Redis --image redis:8 --image-port 6379");
    await run("create api --group apps --version v1 --kind Deployment --no-resource");
    await run("create api --group cert-manager.io --version v1 --kind Certificate --no-resource");
    await run("create api --group web --version v1 --kind Site");
    await run("create webhook --kind Site --defaulting --validating --conversion v2");
    await writeFile(join(root, "src/inside.test.ts"), inside);
    const flags = ["--conditions=@capstan/source", "--test-reporter=tap", "--test"];
    const { stdout } = await node(...flags, "src/inside.test.ts").catch((error: { stdout: string }) => error);
    passed = new Set([...stdout.matchAll(/^\s*ok \d+ - (\w+)$/gm)].map(([, title = ""]) => title));
  });
  after(() => rm(root, { recursive: true, force: true }));

  test("its kinds may be of several groups", async () => {
    const groups = [...(await run("generate crds")).matchAll(/^ {2}group: (\S+)$/gm)].map(([, group]) => group);
    assert.deepEqual(groups, ["app.example.com", "cache.example.com", "web.example.com"]);
  });

  test("a new kind has a source, a test, a sample, a CRD and a controller", async () => {
    for (const file of ["src/site.ts", "src/site.test.ts", "samples/site.yaml"])
      assert.match(await readFile(join(root, file), "utf8"), /\bSite\b/);
    assert.match(await run("generate crds"), /^ {2}name: sites\.web\.example\.com$/m);
    assert.match(await readFile(join(root, "src/main.ts"), "utf8"), /controllers: \[[^\]]*\bsite,/);
  });

  test("controllers of core and external kinds see objects and install no CRDs", async () => {
    assert.ok(passed.has("foreign"), "the controller of Deployments has looked at one");
    assert.match(await readFile(join(root, "src/certificate.ts"), "utf8"), /controller\(Certificate,/);
    const rbac = await run("generate rbac");
    for (const plural of ["deployments", "certificates"])
      assert.match(
        rbac,
        new RegExp(`resources:\\n(?: +- .*\\n)*? +- ${plural}\\n(?: +- .*\\n)* +verbs:\\n(?: +- .*\\n)* +- watch`),
      );
    assert.doesNotMatch(await run("generate crds"), /certificates|deployments/);
  });

  test("the image controller runs the image with the given replicas and port", () => {
    assert.ok(passed.has("image"));
  });

  test("created webhooks set defaults and reject objects", () => {
    assert.ok(passed.has("hooks"));
  });

  test("a created version is served beside the old one, and objects are converted", async () => {
    assert.ok(passed.has("versions"));
    const versions = [...(await run("generate crds")).matchAll(/^ {4}- name: (v\d)\n/gm)].map(([, version]) => version);
    assert.ok(versions.includes("v1") && versions.includes("v2"), versions.join(" "));
  });

  test("a child with an unknown field does not compile", async () => {
    const file = join(root, "src/redis.ts");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("replicas: object.spec.size", "replica: object.spec.size"));
    const tsc = join(checkout, "node_modules/typescript/bin/tsc");
    const errors = await node(tsc, "--noEmit").then(() => [], compilerErrors);
    await writeFile(file, text);
    assert.match(
      errors.filter((line) => line.startsWith("src/")).join("\n"),
      /src\/redis\.ts.*'replica' does not exist/,
    );
  });

  test("samples follow the current schemas, and existing ones stay", async () => {
    assert.match(await run("generate samples"), /kind: Redis\n[^]*spec:\n {2}size: 1\n/);
    await rm(join(root, "samples/redis.yaml"));
    const site = await readFile(join(root, "samples/site.yaml"), "utf8");
    assert.equal(await run("generate samples --out samples"), "  create   samples/redis.yaml\n");
    assert.equal(await readFile(join(root, "samples/site.yaml"), "utf8"), site);
  });
});
