import assert from "node:assert/strict";
import { test } from "node:test";
import { commands } from "../src/commands.ts";
import { wantsColor } from "../src/terminal.ts";
import { capstan } from "./terminal.ts";

test("every command has a page with its options and an example that names it", async () => {
  for (const { name, summary } of commands) {
    const { code, out } = await capstan([...name.split(" "), "--help"]);
    assert.equal(code, 0, name);
    assert.match(out, new RegExp(`capstan ${name}`), name);
    assert.ok(out.includes(summary) && out.includes("Examples") && out.includes("--help"), name);
  }
});

test("the overview names every command", async () => {
  const { code, out } = await capstan(["--help"]);
  assert.equal(code, 0);
  for (const { name } of commands) assert.ok(out.includes(`  ${name} `), name);
});

test("every page fits a window of 80 columns, except for lines to copy", async () => {
  for (const words of [[], ...commands.map(({ name }) => name.split(" "))]) {
    const { out } = await capstan([...words, "--help"], { columns: 80 });
    const prose = out.slice(0, out.lastIndexOf("Examples"));
    for (const line of prose.split("\n")) assert.ok(line.length <= 80, `${words.join(" ")}: ${line}`);
  }
});

test("the page of an option with fixed values names them", async () => {
  for (const { name, load } of commands) {
    const { options } = await load();
    const { out } = await capstan([...name.split(" "), "--help"], { columns: 200 });
    for (const [option, facts] of Object.entries(options)) {
      if (facts.type !== "text" || facts.choices === undefined) continue;
      const line = out.split("\n").find((one) => one.includes(`--${option} `)) ?? "";
      for (const choice of facts.choices) assert.ok(line.includes(choice), `${name} --${option}: ${choice}`);
    }
  }
});

test("without a command, the overview goes to standard error and the exit code is 2", async () => {
  const { code, out, err } = await capstan([]);
  assert.equal(code, 2);
  assert.equal(out, "");
  assert.match(err, /Usage: capstan/);
});

test("a typing error fails with a suggestion", async () => {
  assert.match((await capstan(["docotr"])).err, /no command "docotr"; did you mean doctor\?/);
  assert.match((await capstan(["version", "--outptu", "json"])).err, /no option --outptu; did you mean --output\?/);
  assert.match((await capstan(["version", "-o", "jsno"])).err, /cannot be "jsno"; did you mean json\?/);
  assert.match((await capstan(["completion", "bsah"])).err, /did you mean bash\?/);
});

test("an option of the operator fails with the advice to put it after --", async () => {
  const { code, err } = await capstan(["run", "--kubeconfig", "there"]);
  assert.equal(code, 2);
  assert.match(err, /no option --kubeconfig; what it hands on follows --, as in capstan run -- --kubeconfig\n/);
});

test("unknown options and arguments fail with exit code 2", async () => {
  for (const words of [["version", "extra"], ["completion"], ["version", "--output"], ["nothing-like-it"]]) {
    const { code, out, err } = await capstan(words);
    assert.equal(code, 2, words.join(" "));
    assert.equal(out, "");
    assert.match(err, /^capstan: .+\n$/, words.join(" "));
  }
});

test("command names of other tools fail with ours", async () => {
  for (const [words, answer] of [
    ["new app-operator", "capstan init"],
    ["add api --api-version=app.example.com/v1 --kind=App", "capstan create api"],
    ["add controller", "--no-resource --controller"],
    ["build quay.io/x/y", "capstan image build"],
    ["up local", "capstan dev"],
  ] as const) {
    const { code, err } = await capstan(words.split(" "));
    assert.equal(code, 2);
    assert.ok(err.includes(answer), err);
  }
});

test("data is printed as JSON, YAML or a table", async () => {
  const json = JSON.parse((await capstan(["version", "-o", "json"])).out) as { node: string };
  assert.equal(json.node, process.versions.node);
  assert.match((await capstan(["version", "--output=yaml"])).out, /^capstan: .+\nkubernetes: /);
  assert.match((await capstan(["version"])).out, /^PART +VERSION\ncapstan +\d/);
});

test("completion gives commands, options and choices", async () => {
  assert.deepEqual((await capstan(["__complete", "vers"])).out, "version\n");
  assert.match((await capstan(["__complete", "version", "--"])).out, /--output\n/);
  assert.equal((await capstan(["__complete", "version", "-o", ""])).out, "json\ntable\nyaml\n");
  assert.equal((await capstan(["__complete", "completion", "p"])).out, "powershell\n");
});

test("exit codes are listed", async () => {
  assert.match((await capstan(["help", "exit-codes"])).out, / 5 {2}changes overlap/);
});

test("colours follow NO_COLOR, FORCE_COLOR and the terminal", () => {
  assert.equal(wantsColor({}, true), true);
  assert.equal(wantsColor({}, false), false);
  assert.equal(wantsColor({ NO_COLOR: "1" }, true), false);
  assert.equal(wantsColor({ NO_COLOR: "" }, true), true);
  assert.equal(wantsColor({ FORCE_COLOR: "1" }, false), true);
  assert.equal(wantsColor({ TERM: "dumb" }, true), false);
});
