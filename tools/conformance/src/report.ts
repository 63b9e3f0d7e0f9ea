/** Reads the report of a run and returns the result of each requested test. */

/** How one test went. */
export interface TestResult {
  readonly name: string;
  readonly state: "passed" | "failed" | "skipped" | "not run";
  readonly seconds: number;
  /** The first words of the failure. */
  readonly reason: string;
}

interface Spec {
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts?: readonly string[] | null;
  readonly State: string;
  readonly RunTime: number;
  readonly Failure?: { readonly Message?: string };
}

/** Each wanted test with its result, in the order wanted. */
export function readReport(json: string, wanted: readonly string[]): TestResult[] {
  const suites = JSON.parse(json) as readonly { readonly SpecReports?: readonly Spec[] | null }[];
  const found = new Map<string, Spec>();
  for (const spec of suites.flatMap(({ SpecReports }) => SpecReports ?? [])) {
    const reached = spec.LeafNodeType === "It" && (spec.State !== "skipped" || (spec.Failure?.Message ?? "") !== "");
    if (reached) found.set([...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(" "), spec);
  }
  return wanted.map((name) => toResult(name, found.get(name)));
}

function toResult(name: string, spec: Spec | undefined): TestResult {
  if (spec === undefined) return { name, state: "not run", seconds: 0, reason: "the test program did not run it" };
  const state = spec.State === "passed" ? "passed" : spec.State === "skipped" ? "skipped" : "failed";
  const reason = state === "passed" ? "" : (spec.Failure?.Message ?? spec.State).replaceAll(/\s+/g, " ").slice(0, 200);
  return { name, state, seconds: spec.RunTime / 1e9, reason };
}

const words: Readonly<Record<TestResult["state"], string>> = {
  passed: "PASS",
  failed: "FAIL",
  skipped: "SKIP",
  "not run": "NONE",
};

export function formatResult({ name, state, seconds, reason }: TestResult): string {
  return `${words[state]} ${seconds.toFixed(1).padStart(7)} s  ${name}${reason === "" ? "" : `  # ${reason}`}`;
}

/** A page that lists every test with its result. */
export function formatPage(title: string, results: readonly TestResult[]): string {
  const passed = results.filter(({ state }) => state === "passed").length;
  const rows = results.map(
    ({ name, state, seconds, reason }) => `| ${state} | ${seconds.toFixed(1)} | ${escape(name)} | ${escape(reason)} |`,
  );
  return [
    `# ${title}`,
    "",
    `${passed} of ${results.length} passed.`,
    "",
    "| result | seconds | test | why not |",
    "|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|");
}
