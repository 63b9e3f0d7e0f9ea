/** Optional parts of a project, used as its developers and their CI use them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { realKubectl } from "./kubectl.ts";
import { capstan } from "./terminal.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const run = promisify(execFile);

let folder = "";
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-extras-"));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function mustRun(words: string, cwd: string): Promise<void> {
  const { code, err } = await capstan(words.split(" "), { cwd });
  assert.equal(code, 0, `${words}: ${err}`);
}

/** A folder with commands, for the PATH. */
async function commandsIn(place: string, texts: { readonly [name: string]: string }): Promise<string> {
  const bin = join(place, "bin");
  await mkdir(bin, { recursive: true });
  for (const [name, text] of Object.entries(texts)) {
    await writeFile(join(bin, name), text);
    await chmod(join(bin, name), 0o755);
  }
  return bin;
}

suite("the end-to-end test of a project", () => {
  test("needs a kind", async () => {
    await mustRun(`init empty-operator --capstan ${checkout} --bare`, folder);
    const { code, err } = await capstan(["create", "e2e-test"], { cwd: join(folder, "empty-operator") });
    assert.notEqual(code, 0);
    assert.match(err, /defines no kind to be tried on a cluster/);
  });

  test("starts a cluster and the operator, applies the samples, and reads the metrics", async () => {
    await mustRun(`init shop-operator --capstan ${checkout} --group shop --kind Shop`, folder);
    const root = join(folder, "shop-operator");
    await mustRun("create e2e-test", root);
    const again = await capstan(["create", "e2e-test"], { cwd: root });
    assert.match(again.err, /has its end-to-end-test already/);
    // The compiler also checks the linked checkout; its errors are not the project's.
    const told = await run("node_modules/.bin/tsc", ["--noEmit"], { cwd: root }).catch((error: unknown) => error);
    assert.doesNotMatch((told as { stdout: string }).stdout, /^(src|e2e)\//m);
    const tools = await commandsIn(folder, {});
    await symlink(await realKubectl(), join(tools, "kubectl"));
    const { NODE_TEST_CONTEXT: _, KUBECONFIG: __, PATH, ...rest } = process.env;
    const path = [tools, join(checkout, "node_modules/.bin"), dirname(process.execPath), PATH].join(":");
    const state = join(folder, "state");
    const env = { ...rest, PATH: path, XDG_STATE_HOME: state, CAPSTAN_CHECKOUT: checkout };
    const { stdout } = await run("npm", ["run", "--silent", "test:e2e"], { cwd: root, env });
    assert.match(stdout, /pass 2\n/);
  });
});

suite("the upgrade workflow of a project", () => {
  /** A project in a repository with a remote, and the commands of the job's machine. */
  async function repository(name: string, npx: string) {
    await mustRun(`init ${name} --capstan ${checkout} --group shop --kind Shop`, folder);
    const root = join(folder, name);
    await mustRun("create upgrade-workflow", root);
    const remote = join(folder, `${name}.git`);
    const git = async (...words: string[]): Promise<string> => (await run("git", words, { cwd: root })).stdout;
    await run("git", ["init", "--quiet", "--bare", remote]);
    await git("init", "--quiet", "--initial-branch", "main");
    await git("add", "--all");
    await git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "first");
    await git("remote", "add", "origin", remote);
    const asked = join(folder, `${name}.asked`);
    const bin = await commandsIn(join(folder, `${name}-tools`), {
      npm: "#!/bin/sh\n",
      npx: `#!/bin/sh\n${npx}\n`,
      // Lists the pull requests that are open.
      gh: `#!/bin/sh\nif [ "$2" = list ]; then cat "${asked}" 2>/dev/null; else echo "$@" >> "${asked}"; fi\nexit 0\n`,
    });
    const workflow = parse(await readFile(join(root, ".github/workflows/upgrade.yml"), "utf8")) as {
      readonly on: { readonly schedule: readonly unknown[] };
      readonly jobs: { readonly upgrade: { readonly steps: readonly { readonly run?: string }[] } };
    };
    assert.equal(workflow.on.schedule.length, 1);
    const script = workflow.jobs.upgrade.steps.flatMap((step) => step.run ?? []).join("\n");
    const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}` };
    const work = () => run("bash", ["-e", "-c", script], { cwd: root, env });
    const opened = () => readFile(asked, "utf8").catch(() => "");
    return { git, work, opened };
  }

  test("opens one pull request with the upgrade and its marked conflicts", async () => {
    const { git, work, opened } = await repository("old-operator", "echo '<<<<<<< yours' >> src/main.ts; exit 5");
    await work();
    assert.match(await git("show", "--stat", "origin/capstan-upgrade"), /src\/main\.ts/);
    assert.match(await opened(), /^pr create --head capstan-upgrade /);
    await work();
    assert.equal((await opened()).trim().split("\n").length, 1);
  });

  test("opens none if everything is up to date, and fails if the upgrade fails", async () => {
    const fine = await repository("new-operator", "exit 0");
    await fine.work();
    assert.equal(await fine.opened(), "");
    const broken = await repository("broken-operator", "exit 3");
    await assert.rejects(broken.work());
    assert.equal(await broken.opened(), "");
  });
});

suite("the development environment of a project", () => {
  /** The commands of the CI workflow after the installation of packages. */
  async function ciSteps(root: string): Promise<string[]> {
    const text = await readFile(join(root, ".github/workflows/ci.yml"), "utf8");
    const { jobs } = parse(text) as { jobs: { test: { steps: { run?: string }[] } } };
    const steps = jobs.test.steps.flatMap((step) => step.run ?? []);
    assert.equal(steps[0], "npm ci");
    return steps.slice(1);
  }

  test("CI and linter pass on a fresh project; the linter finds unawaited promises", async () => {
    await mustRun(`init linted-operator --capstan ${checkout} --group shop --kind Shop`, folder);
    const root = join(folder, "linted-operator");
    const before = await ciSteps(root);
    await mustRun("create linter", root);
    const steps = await ciSteps(root);
    assert.deepEqual(
      steps.filter((step) => !before.includes(step)),
      ["npm run lint"],
    );
    const bin = join(root, "node_modules/.bin");
    for (const name of ["oxlint", "tsgolint"])
      await symlink(join(checkout, "node_modules/.bin", name), join(bin, name));
    const { NODE_TEST_CONTEXT: _, PATH, ...rest } = process.env;
    const env = { ...rest, PATH: `${bin}:${PATH}`, CAPSTAN_CHECKOUT: checkout };
    const work = (step: string) => run("bash", ["-e", "-c", step], { cwd: root, env });
    // The compiler also checks the linked checkout; its errors are not the project's.
    for (const step of steps.filter((one) => one !== "npm run check")) await work(step);
    const file = join(root, "src/shop.ts");
    await writeFile(
      file,
      `${await readFile(file, "utf8")}\nexport function forgetful(): void {\n  Promise.reject(new Error("lost"));\n}\n`,
    );
    await assert.rejects(work("npm run lint"), { stdout: /no-floating-promises[^]*src\/shop\.ts/ });
  });

  test("the development container has the Node version that projects need", async () => {
    await mustRun(`init contained-operator --capstan ${checkout} --group shop --kind Shop`, folder);
    const root = join(folder, "contained-operator");
    await mustRun("create dev-container", root);
    const { image, postCreateCommand } = JSON.parse(
      await readFile(join(root, ".devcontainer/devcontainer.json"), "utf8"),
    ) as { image: string; postCreateCommand: string };
    const { engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { engines: { node: string } };
    assert.equal(image, `docker.io/library/node:${/(\d+)/.exec(engines.node)?.[1]}`);
    assert.equal(postCreateCommand, "npm install");
    const again = await capstan(["create", "dev-container"], { cwd: root });
    assert.match(again.err, /has its dev-container already/);
    await mustRun("upgrade", root);
  });
});

suite("webhooks at custom paths", () => {
  test("are written into the program, compile, and appear in a bundle", async () => {
    await mustRun(`init path-operator --capstan ${checkout} --group demo --kind Site`, folder);
    const root = join(folder, "path-operator");
    await mustRun("create webhook --kind Site --validating --validation-path /check/site --defaulting", root);
    assert.match(
      await readFile(join(root, "src/main.ts"), "utf8"),
      /webhooks: \{\n    paths: \{\n      "sites\.demo\.example\.com": \{ validate: "\/check\/site" \},\n/,
    );
    const told = await run("node_modules/.bin/tsc", ["--noEmit"], { cwd: root }).catch((error: unknown) => error);
    assert.doesNotMatch((told as { stdout: string }).stdout, /^src\//m);
    await mustRun("bundle generate", root);
    const csv = await readFile(join(root, "bundle/manifests/path-operator.clusterserviceversion.yaml"), "utf8");
    assert.deepEqual(
      [...csv.matchAll(/webhookPath: (\S+)/g)].map(([, path]) => path),
      ["/mutate-demo-example-com-v1alpha1-site", "/check/site", "/check/site"],
    );
  });

  test("are rejected where they are not possible", async () => {
    const cwd = join(folder, "path-operator");
    const ask = async (words: string) => (await capstan(words.split(" "), { cwd })).err;
    const base = "create webhook --kind Site --validating --validation-path";
    assert.match(await ask(`${base} check`), /"check" is not the path of a webhook/);
    assert.match(await ask("create webhook --kind Site --defaulting --validation-path /x"), /needs --validating/);
  });
});
