/** The screens of `init`, `dev` and its live table in real terminals of 80 and of 200 columns. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { KEYS } from "../src/dev/view.ts";
import { escaped } from "./pattern.ts";
import { checkout } from "./walk.ts";
import { Window } from "./window.ts";

const command = `"${process.execPath}" --conditions=@capstan/source --disable-warning=ExperimentalWarning "${checkout}/apps/cli/src/main.ts"`;

/** A program in its own interactive terminal. */
class Sitting implements AsyncDisposable {
  readonly #child: ChildProcess;
  /** Resolves after the last output, which may come after the exit. */
  readonly #closed: Promise<unknown>;
  readonly #window: Window;

  constructor(line: string, { cwd, columns }: { readonly cwd: string; readonly columns: number }) {
    this.#window = new Window(columns);
    const { NODE_TEST_CONTEXT: _, CI: __, ...rest } = process.env;
    const env = { ...rest, CAPSTAN_CHECKOUT: checkout, NO_COLOR: "1", TERM: "xterm", SHELL: "/bin/sh" };
    const inside = `stty cols ${columns} rows 40 -echo; exec ${line}`;
    this.#child = spawn("script", ["--quiet", "--flush", "--return", "--command", inside, "/dev/null"], { cwd, env });
    this.#closed = once(this.#child, "close");
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#window.write(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#window.write(text));
  }

  get text(): string {
    return this.#window.text;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  async shows(pattern: RegExp): Promise<string> {
    for (const end = performance.now() + 300_000; !pattern.test(this.text); await wait(20)) {
      assert.ok(
        performance.now() < end && this.#child.exitCode === null,
        `${String(pattern)} was not seen in:\n${this.text}`,
      );
    }
    return this.text;
  }

  /** Types a key until the output appears: its effect may take a moment. */
  async showsOnceTyped(key: string, pattern: RegExp): Promise<void> {
    for (const end = performance.now() + 300_000; !pattern.test(this.text); await wait(500)) {
      assert.ok(performance.now() < end, `${String(pattern)} was not seen in:\n${this.text}`);
      this.type(key);
    }
  }

  async ended(): Promise<number | null> {
    await this.#closed;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null) this.#child.kill("SIGTERM");
    await this.ended();
  }
}

/** With CAPSTAN_RECORD=true, the screen becomes a page of the documentation. */
async function record(name: string, seen: string, folder: string): Promise<void> {
  if (process.env["CAPSTAN_RECORD"] !== "true") return;
  await mkdir(join(checkout, "docs/sessions"), { recursive: true });
  const text = seen.replaceAll(folder, "~").replaceAll(checkout, "<checkout>");
  await writeFile(join(checkout, `docs/sessions/${name}.txt`), `${text}\n`);
}

/** The rows of the live table: from its titles to its keys. */
function tableOf(text: string): string[] {
  const lines = text.split("\n");
  const from = lines.findIndex((line) => line.startsWith("  KIND "));
  assert.ok(from > 0, text);
  return lines.slice(from);
}

const second = `apiVersion: app.example.com/v1alpha1
kind: AppService
metadata: { name: another-app-service-with-a-name-that-is-rather-long }
spec: { image: "busybox:1.37" }
`;

for (const [key, typed] of [
  ["Ctrl-C", "\u0003"],
  ["Ctrl-D", "\u0004"],
] as const) {
  test(`${key} at a question of init ends it with code 130 and writes nothing`, { timeout: 300_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "capstan-screen-"));
    try {
      const cwd = await empty(folder, "left-alone");
      await using init = new Sitting(`${command} init`, { cwd, columns: 80 });
      await init.shows(/Name of the project/);
      init.type(typed);
      assert.equal(await init.ended(), 130, init.text);
      assert.match(init.text, /interrupted at a question; nothing was changed/);
      assert.doesNotMatch(init.text, / at .*\.ts:/);
      assert.deepEqual(await readdir(cwd), []);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
}

for (const columns of [80, 200]) {
  test(
    `a user at a terminal of ${columns} columns makes a project and watches it run`,
    { timeout: 900_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), "capstan-screen-"));
      try {
        await using init = new Sitting(`${command} init`, { cwd: await empty(folder, "app-operator"), columns });
        for (const question of [/Name of the project/, /Kind/, /Group/]) {
          await init.shows(question);
          init.type("\n");
        }
        assert.equal(await init.ended(), 0, init.text);
        assert.match(init.text, /Next:\n {2}npm install\n {2}npm test\n {2}npx capstan dev/);
        fits(init.text, columns);
        await record(`init-${columns}`, init.text, folder);

        const cwd = join(folder, "app-operator");
        await writeFile(join(cwd, "second.yaml"), second);
        await using dev = new Sitting(`${command} dev --apply samples/app-service.yaml,second.yaml`, { cwd, columns });
        await dev.shows(/pods run nothing here/);
        await dev.shows(/rather-long +\S+ +Ready=True\n.*example-app-service +\S+ +Ready=True/);
        dev.type("p");
        await dev.shows(
          /> AppService +default\S+rather-long +\S+ +paused Ready=True\n.*example-app-service +\S+ +Ready=True/,
        );
        dev.type("\u001B[B");
        await dev.shows(/> AppService +default\/example-app-service/);
        dev.type("a");
        await dev.shows(/default\/example-app-service is looked at again/);
        await dev.showsOnceTyped("e", /woken by +request by hand/);
        // The table is redrawn continuously: the check uses a moment at which it is complete.
        const seen = await dev.shows(new RegExp(`woken by[^]*KIND [^]*${escaped(KEYS)}$`));
        fits(tableOf(seen).join("\n"), columns);
        assert.equal(seen.match(/^ {2}KIND /gm)?.length, 1, "there is one table, at the bottom");
        await record(`dev-${columns}`, seen, folder);
        dev.type("q");
        assert.equal(await dev.ended(), 0, dev.text);
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  );
}

test("a slowly loading program can be quit, and its types are checked when it runs", { timeout: 900_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-screen-"));
  try {
    await symlink(join(checkout, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "some-operator", type: "module" }));
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { types: [] }, files: ["main.ts"] }),
    );
    await writeFile(join(folder, "main.ts"), "await new Promise((done) => setTimeout(done, 1e9));\n");
    const line = `${command} dev --entry main.ts`;
    {
      await using dev = new Sitting(line, { cwd: folder, columns: 80 });
      await dev.shows(/loading the program/);
      dev.type("q");
      assert.equal(await dev.ended(), 0, dev.text);
    }
    await writeFile(join(folder, "main.ts"), 'const size: number = "three";\nthrow new Error(String(size));\n');
    await using dev = new Sitting(line, { cwd: folder, columns: 200 });
    await dev.shows(/a type error:\n {2}main\.ts\(1,7\): error TS2322: /);
    await writeFile(join(folder, "main.ts"), "const size: number = 3;\nthrow new Error(String(size));\n");
    await dev.shows(/no type errors any more/);
    dev.type("q");
    assert.equal(await dev.ended(), 0, dev.text);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});

async function empty(folder: string, name: string): Promise<string> {
  await mkdir(join(folder, name));
  return join(folder, name);
}

function fits(text: string, columns: number): void {
  for (const line of text.split("\n")) assert.ok(line.length <= columns, line);
}
