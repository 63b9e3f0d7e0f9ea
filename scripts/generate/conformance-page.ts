/** The page of official conformance tests: every test with its last result on the embedded cluster and, where it fails, why. */
import { existsSync, readFileSync } from "node:fs";
import type { Page } from "./pages.ts";

interface Result {
  readonly state: "passed" | "failed" | "skipped" | "not run";
  readonly seconds: number;
  readonly reason: string;
}

type Results = { readonly [name: string]: Result };

const folder = "tools/conformance";
const lists = [
  { name: "api-only", title: "Tests of the API, for which no pod has to run" },
  { name: "with-pods", title: "Tests with pods on one node" },
  { name: "two-nodes", title: "Tests with two nodes" },
  { name: "rest", title: "Tests that need a registry and an image that cannot be had here" },
] as const;

/** Renders the page from the results that `npm run conformance -- LIST --record` stores. */
export function conformancePage(): Page[] {
  const results = readJson<Results>("results.json");
  const reasons = readJson<{ readonly [name: string]: string }>("reasons.json");
  const parts = lists.map(({ name, title }) => {
    const names = readFileSync(`${folder}/lists/${name}.txt`, "utf8").split("\n").filter(Boolean);
    return { title, name, names, passed: names.filter((test) => results[test]?.state === "passed").length };
  });
  const text = [
    "# Conformance",
    "",
    "The official conformance tests of Kubernetes 1.36.3 on the embedded cluster with real pods, each with its last result. The page is made",
    "by `npm run generate` from what `npm run conformance -- all --record` kept, or `-- LIST --on cluster --record` of a part.",
    "",
    ...wholeRun(),
    "| list | tests | passed |",
    "|---|---|---|",
    ...parts.map(({ name, names, passed }) => `| ${name} | ${names.length} | ${passed} |`),
    ...parts.flatMap(({ title, names }) => section(title, names, { results, reasons })),
    "",
  ].join("\n");
  return [{ file: "docs/reference/conformance.md", text }, barePage()];
}

/** The date of the last complete run; empty without one. */
function wholeRun(): readonly string[] {
  type Run = { readonly [fact in "day" | "commit"]: string } & {
    readonly [fact in "tests" | "minutes" | "secondTries" | "failed"]: number;
  };
  const { day, commit, tests, minutes, secondTries, failed = 0 } = readJson<Partial<Run>>("run.json");
  if (commit === undefined) return [];
  const tries = secondTries === 0 ? "none needed a second try" : `${secondTries} needed a second try`;
  // The table below has the current results.
  const failures = failed === 0 ? "none failed" : `${failed} failed then`;
  return [
    `The last run of everything at one commit: ${tests} tests at ${commit} on ${day}, about ${minutes} minutes, ${failures}, ${tries}.`,
    "",
  ];
}

/** The tests that the API server passes by itself: those that wait for a controller fail. */
function barePage(): Page {
  const results = readJson<Results>("results-bare.json");
  const reasons = readJson<{ readonly [name: string]: string }>("reasons-bare.json");
  const names = readFileSync(`${folder}/lists/api-only.txt`, "utf8").split("\n").filter(Boolean);
  const passed = names.filter((test) => results[test]?.state === "passed").length;
  const text = [
    "# Conformance of the bare API server",
    "",
    "The official tests for which no pod has to run, on `capstan apiserver` alone: no controllers, no nodes. The test program is told not to wait",
    "for the service account of a new namespace (`--e2e-verify-service-account=false`), which a controller makes. Kept by",
    "`npm run conformance -- api-only --record`.",
    "",
    `${passed} of ${names.length} passed.`,
    ...section("All tests", names, { results, reasons }),
    "",
  ].join("\n");
  return { file: "docs/reference/conformance-bare.md", text };
}

function readJson<T>(name: string): T {
  const file = `${folder}/${name}`;
  return JSON.parse(existsSync(file) ? readFileSync(file, "utf8") : "{}") as T;
}

interface Known {
  readonly results: Results;
  readonly reasons: { readonly [name: string]: string };
}

function section(title: string, names: readonly string[], { results, reasons }: Known): readonly string[] {
  const rows = names.map((name) => {
    const { state, seconds, reason } = results[name] ?? { state: "not run", seconds: 0, reason: "" };
    const why = state === "passed" ? "" : (reasons[name] ?? reason);
    return `| ${state} | ${seconds === 0 ? "" : seconds.toFixed(1)} | ${escape(name)} | ${escape(why)} |`;
  });
  return ["", `## ${title}`, "", "| result | seconds | test | why not |", "|---|---|---|---|", ...rows];
}

/** Removes paths of the machine that ran the tests. */
function escape(text: string): string {
  return text
    .replaceAll(/\/(?:tmp|root|home)\/\S*/g, "(a path)")
    .replaceAll("|", String.raw`\|`)
    .replaceAll("<", "&lt;");
}
