/** `capstan scorecard`: scores a bundle. The classic tests run in this process; others run as pods of a cluster. */
import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type BundleFiles,
  bundleLabels,
  type ClassicTest,
  classicTests,
  defaultConfigPath,
  formatScoreJson,
  formatScoreText,
  formatScoreXunit,
  hasPassed,
  parseScorecardConfig,
  readBundle,
  runClassicTest,
  runScorecard,
  type RunTest,
  type ScorecardConfig,
  type ScoredTest,
  scorecardConfig,
  selectTests,
  type TestConfig,
} from "@capstan/bundle";
import { parseLabelSelector } from "@capstan/model";
import { openBundle, ownBundle } from "../bundle/open.ts";
import { type Command, defineCommand, type Options, type OptionValues } from "../command/define.ts";
import { CliError, exitCodes } from "../errors.ts";
import { clusterOptions, connect } from "../project/connect.ts";
import { insecureOption } from "../registry/session.ts";
import { startPodRunner } from "../scorecard/run-in-pods.ts";
import { readText } from "../project/disk.ts";
import type { Terminal } from "../terminal.ts";

const options = {
  config: {
    type: "text",
    short: "c",
    value: "FILE",
    describe: "the configuration (tests/scorecard/config.yaml of the bundle)",
  },
  selector: { type: "text", short: "l", value: "SELECTOR", describe: "run the tests with these labels: suite=olm" },
  list: { type: "flag", short: "L", describe: "list the tests, and run none" },
  output: {
    type: "text",
    short: "o",
    value: "FORMAT",
    choices: ["text", "json", "xunit"],
    default: "text",
    describe: "how to print: text, json or xunit",
  },
  "in-pods": { type: "flag", describe: "run the classic tests as pods too, from the images that they name" },
  namespace: { type: "text", short: "n", value: "NAMESPACE", describe: "where pods run (that of the kubeconfig)" },
  "service-account": { type: "text", short: "s", value: "NAME", describe: "what pods run as (default)" },
  "pod-security": {
    type: "text",
    value: "LEVEL",
    choices: ["legacy", "restricted"],
    default: "legacy",
    describe: "legacy, or restricted",
  },
  "wait-time": {
    type: "text",
    short: "w",
    value: "TIME",
    default: "30s",
    describe: "how long all tests may take: 90s, 5m",
  },
  "skip-cleanup": { type: "flag", short: "x", describe: "leave pods and ConfigMaps on the cluster" },
  "storage-image": {
    type: "text",
    short: "b",
    value: "IMAGE",
    default: "docker.io/library/busybox:1.37",
    describe: "an image with sh and tar, for tests that leave files",
  },
  "test-output": { type: "text", short: "t", value: "DIR", default: "test-output", describe: "where those files go" },
  insecure: insecureOption,
  ...clusterOptions,
} as const satisfies Options;

type Asked = OptionValues<typeof options>;

/** Scores a bundle. */
export const scorecard: Command = defineCommand({
  describe:
    "The six classic tests need no cluster. Tests with images of their own run as pods: what they print is their result.",
  arguments: [{ name: "BUNDLE", describe: "a folder, or an image in a registry (./bundle)", presence: "optional" }],
  options,
  examples: [
    { line: "capstan scorecard", does: "Every test of the bundle's configuration" },
    { line: "capstan scorecard bundle -l suite=olm -o xunit > report.xml", does: "Some of them, as a report" },
    {
      line: "capstan scorecard bundle --kubeconfig prod.yaml -n tests -w 5m",
      does: "Tests of one's own, on that cluster",
    },
  ],
  run: async ({ options: asked, args: [name = ownBundle], terminal }) => {
    const files = await openBundle(name, { terminal, insecure: asked.insecure });
    const config = await readConfig(files, asked, terminal);
    const run = { config, ...(asked.selector === undefined ? {} : { selector: parseLabelSelector(asked.selector) }) };
    if (asked.list) {
      const tests = selectTests(run).flatMap((stage) => stage.tests);
      terminal.out(
        format(
          tests.map((test) => ({ config: test, status: { results: [] } })),
          asked.output,
        ),
      );
      return exitCodes.Done.code;
    }
    const needsPods = selectTests(run).some((stage) =>
      stage.tests.some((test) => asked["in-pods"] || classicOf(test) === undefined),
    );
    const scored = needsPods
      ? await inPods({ asked, config, files, terminal }, (runTest) => runScorecard(run, runTest))
      : await runScorecard(run, (test) => runHere(test, files));
    terminal.out(format(scored, asked.output));
    return hasPassed(scored) ? exitCodes.Done.code : exitCodes.Failed.code;
  },
});

function format(tests: readonly ScoredTest[], output: string): string {
  if (output === "json") return formatScoreJson(tests);
  return output === "xunit" ? formatScoreXunit(tests) : formatScoreText(tests);
}

/** The configuration from the command line, else from the bundle, else the classic one. */
async function readConfig(files: BundleFiles, { config }: Asked, terminal: Terminal): Promise<ScorecardConfig> {
  if (config !== undefined) return parseScorecardConfig(await readText(resolve(terminal.cwd, config)));
  const { annotations } = readBundle(files).metadata;
  const folder = annotations?.[bundleLabels.scorecardConfig];
  const path = folder === undefined ? defaultConfigPath : join(folder, "config.yaml");
  const bytes = files.get(path);
  return parseScorecardConfig(bytes === undefined ? JSON.stringify(scorecardConfig) : new TextDecoder().decode(bytes));
}

/** The classic test of a configuration entry, whatever the registry of its image. */
function classicOf({ image, entrypoint }: TestConfig): ClassicTest | undefined {
  if (!/(^|\/)scorecard-test(:|@|$)/.test(image)) return undefined;
  return classicTests.find((name) => entrypoint.includes(name));
}

async function runHere(test: TestConfig, files: BundleFiles): ReturnType<RunTest> {
  const name = classicOf(test);
  if (name === undefined) throw new CliError("BadInput", `${test.image} is no image of the classic tests`);
  return runClassicTest(name, files);
}

interface Setting {
  readonly asked: Asked;
  readonly config: ScorecardConfig;
  readonly files: BundleFiles;
  readonly terminal: Terminal;
}

async function inPods(
  { asked, config, files, terminal }: Setting,
  score: (run: RunTest) => Promise<ScoredTest[]>,
): Promise<ScoredTest[]> {
  const { client, namespace } = await connect(asked, terminal);
  const runner = await startPodRunner({
    client,
    files,
    namespace: asked.namespace ?? namespace,
    serviceAccount: config.serviceAccount ?? asked["service-account"] ?? "default",
    security: asked["pod-security"] === "restricted" ? "restricted" : "legacy",
    storageImage: asked["storage-image"],
    run: `scorecard-test-${randomBytes(3).toString("hex")}`,
    output: resolve(terminal.cwd, asked["test-output"]),
    signal: AbortSignal.timeout(parseTime(asked["wait-time"])),
    pause: async () => wait(500),
  });
  try {
    return await score((test) =>
      !asked["in-pods"] && classicOf(test) !== undefined ? runHere(test, files) : runner.runTest(test),
    );
  } finally {
    if (!asked["skip-cleanup"]) await runner[Symbol.asyncDispose]();
    await client.close();
  }
}

const units: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function parseTime(text: string): number {
  const [, amount = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(amount) * (units[unit] ?? Number.NaN);
  if (!Number.isFinite(milliseconds) || milliseconds <= 0)
    throw new CliError("Usage", `--wait-time takes a time such as 90s or 5m, not ${text}`);
  return milliseconds;
}
