/** Prints test results in the three formats of operator-sdk. */
import { quote } from "@capstan/model";
import { compareText } from "../decode/json.ts";
import type { ScoredTest, TestConfig, TestResult } from "./documents.ts";

const apiVersion = "scorecard.operatorframework.io/v1alpha3";

/** For people. */
export function formatScoreText(tests: readonly ScoredTest[]): string {
  return tests.length === 0 ? "0 tests selected\n" : tests.map((test) => `${testText(test)}\n`).join("");
}

function testText({ config, status }: ScoredTest): string {
  const labels = sortedLabels(config).map(([key, value]) => `\t${quote(key)}:${quote(value)}\n`);
  return [
    `${"-".repeat(80)}\n`,
    `Image:      ${config.image}\n`,
    config.entrypoint.length > 0 ? `Entrypoint: [${config.entrypoint.join(" ")}]\n` : "",
    labels.length > 0 ? `Labels:\n${labels.join("")}` : "",
    status.results.length > 0 ? `Results:\n${status.results.map(resultText).join("")}` : "",
  ].join("");
}

function sortedLabels({ labels }: TestConfig): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => compareText(a, b));
}

function resultText({ name = "", state, suggestions = [], errors = [], log = "" }: TestResult): string {
  const isKnown = ["pass", "fail", "error"].includes(state);
  const list = (title: string, lines: readonly string[]): string =>
    lines.length === 0 ? "" : `\t${title}:\n${lines.map((line) => `\t\t${line}\n`).join("")}`;
  return [
    name === "" ? "" : `\tName: ${name}\n`,
    `\tState: ${isKnown ? `${state}\n` : "unknown"}\n`,
    list("Suggestions", suggestions),
    list("Errors", errors),
    list(
      "Log",
      log
        .replace(/\n$/, "")
        .split("\n")
        .filter((_, at, all) => all.length > 1 || all[at] !== ""),
    ),
    "\n",
  ].join("");
}

/** For programs. */
export function formatScoreJson(tests: readonly ScoredTest[]): string {
  const items = tests.map(({ config, status }) => ({
    kind: "Test",
    apiVersion,
    spec: {
      image: config.image,
      ...(config.uniqueID === undefined ? {} : { uniqueID: config.uniqueID }),
      ...(config.entrypoint.length > 0 ? { entrypoint: config.entrypoint } : {}),
      ...(Object.keys(config.labels).length > 0 ? { labels: Object.fromEntries(sortedLabels(config)) } : {}),
      storage: { spec: { mountPath: config.storagePath === undefined ? {} : { path: config.storagePath } } },
    },
    status: status.results.length > 0 ? { results: status.results.map(resultJson) } : {},
  }));
  const list = { kind: "TestList", apiVersion, items: items.length > 0 ? items : null };
  return `${JSON.stringify(list, undefined, 2)}\n`;
}

function resultJson({
  name = "",
  log = "",
  state,
  errors = [],
  suggestions = [],
  creationTimestamp,
}: TestResult): object {
  return {
    ...(name === "" ? {} : { name }),
    ...(log === "" ? {} : { log }),
    state,
    ...(errors.length > 0 ? { errors } : {}),
    ...(suggestions.length > 0 ? { suggestions } : {}),
    creationTimestamp: creationTimestamp ?? null,
  };
}

/** For test report collectors. */
export function formatScoreXunit(tests: readonly ScoredTest[]): string {
  const suites = tests.map(suiteXml).join("");
  return `<testsuites name="scorecard">${suites === "" ? "" : `\n${suites}`}</testsuites>\n`;
}

function suiteXml({ config, status }: ScoredTest, at: number): string {
  const name = config.labels["test"] ?? `testsuite-${String(at + 1).padStart(3, "0")}`;
  const phase = config.labels["cluster-phase"];
  const properties: readonly (readonly [string, string])[] = [
    ["spec.image", config.image],
    ["spec.entrypoint", config.entrypoint.join(" ")],
    ["labels.test", name],
    ...(phase === undefined ? [] : [["labels.cluster-phase", phase] as const]),
  ];
  const known = status.results.filter(({ state }) => ["pass", "fail", "error"].includes(state));
  const count = (state: string): number => known.filter((result) => result.state === state).length;
  const head = `  <testsuite name="${escape(name)}" tests="${known.length}" skipped="0" failures="${count("fail")}" errors="${count("error")}">\n`;
  const lines = properties.map(
    ([key, value]) => `      <property name="${escape(key)}" value="${escape(value)}"></property>\n`,
  );
  return `${head}    <properties>\n${lines.join("")}    </properties>\n${known.map(caseXml).join("")}  </testsuite>\n`;
}

function caseXml({ name = "", log = "", state, errors = [], creationTimestamp }: TestResult): string {
  const time = creationTimestamp ?? "0001-01-01T00:00:00Z";
  const tag = state === "fail" ? "failure" : "error";
  // Others write messages as they are, which breaks the document when one has a bracket.
  const result = state === "pass" ? "" : `      <${tag} type="${tag}">${escape(errors.join("\n"))}</${tag}>\n`;
  return `    <testcase name="${escape(name)}" time="${escape(time)}">\n      <system-out>${escape(log)}</system-out>\n${result}    </testcase>\n`;
}

const escapes: { readonly [char: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&#34;",
  "'": "&#39;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;",
};

function escape(text: string): string {
  return text.replace(/[&<>"'\t\n\r]/g, (char) => escapes[char] ?? char);
}
