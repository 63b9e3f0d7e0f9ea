/** What must be built before a test file starts, from the names that it imports from `@capstan/kubernetes`, directly or indirectly. */
import { readFileSync } from "node:fs";
import type { Graph } from "./graph.ts";

/** A part of the machine's preparation. */
export type Need = "kubernetes" | "images" | "programs" | "conformance";

const needsByName: Readonly<Record<Need, readonly string[]>> = {
  kubernetes: ["startCluster", "useKubernetes"],
  images: ["buildNodeImage", "buildTestImages"],
  programs: ["buildPrograms", "programPath"],
  conformance: ["buildConformanceImages", "conformancePrograms"],
};

const all = Object.keys(needsByName) as readonly Need[];

/** The needs of a text that imports from the package. */
export function needsOfText(text: string): readonly Need[] {
  const lists = text.matchAll(/import \{([^}]*)\} from "@capstan\/kubernetes"/g);
  const names = new Set(lists.flatMap(([, list = ""]) => list.split(",").map((name) => name.trim())));
  return all.filter((need) => needsByName[need].some((name) => names.has(name)));
}

/** Returns the needs of test files. The tests of the tools themselves import them by path, so they wait for everything. */
export function readNeeds(graph: Graph): (test: string) => readonly Need[] {
  const imports = graph.files.filter((file) => file.endsWith(".ts") && !file.startsWith("tools/kubernetes/src/"));
  const needs = imports.map((file) => [file, needsOfText(readFileSync(file, "utf8"))] as const);
  const needy = needs.filter(([, list]) => list.length > 0);
  return (test) => {
    if (/^tools\/[^/]+\/test\//.test(test)) return all;
    const depends = graph.dependenciesOf(test);
    return [...new Set(needy.flatMap(([file, list]) => (depends.has(file) ? list : [])))];
  };
}
