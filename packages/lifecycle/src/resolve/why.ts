/** Explains a resolution: why an operator is chosen, why another one is not, and what would help. */
import { idOf } from "./entry.ts";
import type { Variable } from "./problem.ts";
import type { ResolutionInput } from "./resolution.ts";
import { prepare, resolve, type Prepared } from "./resolve.ts";
import { solve, type Solution } from "./solve.ts";
import { describe, type BundleVariable } from "./variables.ts";

/** The answer to a question about a resolution, in plain English. */
export interface Explanation {
  /** Chosen: it is or will be installed. Possible: nothing asks for it. Impossible: the reasons contradict it. */
  readonly verdict: "chosen" | "possible" | "impossible" | "unknown";
  readonly summary: string;
  /** Chosen: the shortest chain from a Subscription. Impossible: the smallest set of requirements that contradict. */
  readonly reasons: readonly string[];
  /** Single changes after which the resolution succeeds. Each of them was tried. */
  readonly remedies: readonly string[];
}

/** Why a ClusterServiceVersion, a package or a Subscription by this name is installed, or why it is not. */
export function why(input: ResolutionInput, name: string): Explanation {
  const prepared = prepare(input);
  if (prepared.type === "failed") return unknown(prepared.message);
  const named = namedVariables(prepared, name);
  if (named.length === 0) return absent(input, name);
  const solution = solve(prepared.variables);
  if (solution.type === "unsatisfiable") return impossible(input, name, solution);
  const chosen = named.find((one) => solution.chosen.includes(one));
  if (chosen !== undefined) return explainChoice(solution.chosen, chosen, name);
  return explainAbsence(input, { name, named, prepared });
}

function unknown(message: string): Explanation {
  const remedies = ["Correct what the message names, then the resolution runs again."];
  return { verdict: "unknown", summary: `The resolution cannot start: ${message}`, reasons: [message], remedies };
}

function absent({ catalogs, namespace }: ResolutionInput, name: string): Explanation {
  const read =
    catalogs
      .map((one) => one.name)
      .toSorted()
      .join(", ") || "none";
  const summary = `Nothing in the namespace ${namespace} is named ${name}: no Subscription, no installed operator, and no bundle or package that a Subscription can lead to.`;
  const remedies = [`Check the name, or create a Subscription for the package. The catalogs are: ${read}.`];
  return { verdict: "unknown", summary, reasons: [], remedies };
}

function namedVariables({ draft, variables }: Prepared, name: string): Variable[] {
  const bundles = [...draft.bundles.values()].filter(({ entry }) => entry.name === name || entry.package === name);
  return [...bundles, ...variables.filter(({ id }) => id === `subscription:${name}`)];
}

function impossible(
  input: ResolutionInput,
  name: string,
  { core }: Extract<Solution, { type: "unsatisfiable" }>,
): Explanation {
  const reasons = core.map(({ constraint }) => sentence(constraint.explanation));
  const remedies = remediesFor(input);
  const involved = remedies.length === 0 ? "No single change that was tried helps." : "Each remedy alone helps.";
  const summary = `${name} cannot be installed or upgraded, because these requirements contradict each other. ${involved}`;
  return { verdict: "impossible", summary, reasons, remedies };
}

/** Breadth first from the mandatory variables along the requirements to the chosen one. */
function explainChoice(chosen: readonly Variable[], target: Variable, name: string): Explanation {
  const roots = chosen.filter(({ constraints }) => constraints.some(({ type }) => type === "mandatory"));
  const paths = roots.map((root) => ({ at: root, reasons: rootReasons(root) }));
  const visited = new Set<Variable>(roots);
  for (const { at, reasons } of paths) {
    if (at === target) return { verdict: "chosen", summary: `${name} is part of the solution.`, reasons, remedies: [] };
    for (const rule of at.constraints) {
      if (rule.type !== "dependency") continue;
      const next = rule.candidates.find((one) => chosen.includes(one));
      if (next === undefined || visited.has(next)) continue;
      visited.add(next);
      const best = new Set(rule.candidates).size > 1 ? `; ${labelOf(next)} is the best one that fits` : "";
      paths.push({
        at: next,
        reasons: [...reasons, sentence(rule.explanation + best)],
      });
    }
  }
  return { verdict: "chosen", summary: `${name} is part of the solution.`, reasons: [], remedies: [] };
}

function rootReasons({ constraints }: Variable): string[] {
  return constraints.filter(({ type }) => type === "mandatory").map(({ explanation }) => sentence(explanation));
}

function labelOf(variable: Variable): string {
  return isBundle(variable) ? describe(variable.entry) : variable.id;
}

function isBundle(variable: Variable): variable is BundleVariable {
  return "entry" in variable;
}

interface Absence {
  readonly name: string;
  readonly named: readonly Variable[];
  readonly prepared: Prepared;
}

/** Demands the absent operator as well: either that contradicts something, or nothing asks for it. */
function explainAbsence(input: ResolutionInput, { name, named, prepared }: Absence): Explanation {
  const demand: Variable = {
    id: `demand:${name}`,
    constraints: [
      { type: "mandatory", message: `${name} is wanted`, explanation: `the question is why ${name} is not installed` },
      {
        type: "dependency",
        candidates: named,
        message: `${name} is one of its entries`,
        explanation: `${name} is ${named.map(labelOf).join(" or ")}`,
      },
    ],
  };
  const solution = solve([...prepared.variables, demand]);
  if (solution.type === "unsatisfiable") {
    const core = solution.core.filter(({ variable }) => variable !== demand);
    const reasons = core.map(({ constraint }) => sentence(constraint.explanation));
    return { verdict: "impossible", summary: `${name} cannot be part of the solution.`, reasons, remedies: [] };
  }
  const result = resolve(input);
  const better = result.type === "solved" ? result.selections.map(({ bundle }) => bundle.name).join(", ") : "";
  const instead = better === "" ? "what is installed stays" : `the resolution prefers ${better}`;
  const summary = `${name} could be installed, but nothing asks for it: ${instead}.`;
  return {
    verdict: "possible",
    summary,
    reasons: named.filter(isBundle).map(({ entry }) => `${idOf(entry)} is an alternative.`),
    remedies: [],
  };
}

function sentence(text: string): string {
  // A name at the beginning stays as it is.
  return `${/^[a-z]+ /.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text}.`;
}

/** Single changes that make a resolution succeed, each tried by resolving again. */
export function remediesFor(input: ResolutionInput): string[] {
  const helps = (change: Partial<ResolutionInput>): boolean => resolve({ ...input, ...change }).type === "solved";
  const { subscriptions, installed } = input;
  const owned = new Set(subscriptions.map(({ installedCSV }) => installedCSV));
  const removals = subscriptions.filter((one) =>
    helps({ subscriptions: subscriptions.filter((other) => other !== one) }),
  );
  const starts = subscriptions.filter(
    (one) =>
      one.startingCSV !== undefined &&
      helps({ subscriptions: subscriptions.map((other) => (other === one ? { ...one, startingCSV: "" } : other)) }),
  );
  const channels = subscriptions.filter(
    (one) =>
      one.channel !== undefined &&
      helps({ subscriptions: subscriptions.map((other) => (other === one ? { ...one, channel: "" } : other)) }),
  );
  const orphans = installed.filter(
    (one) => !owned.has(one.name) && helps({ installed: installed.filter((other) => other !== one) }),
  );
  return [
    ...starts.map(({ name, startingCSV }) => `Remove startingCSV ${startingCSV ?? ""} from the Subscription ${name}.`),
    ...channels.map(
      ({ name, channel }) =>
        `Remove the channel ${channel ?? ""} from the Subscription ${name}, so that every channel counts.`,
    ),
    ...orphans.map(({ name }) => `Delete the ClusterServiceVersion ${name}, which no Subscription owns.`),
    ...removals.map(({ name }) => `Delete the Subscription ${name}.`),
  ];
}
