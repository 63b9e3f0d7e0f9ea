/** The meters of a program: objects for the metering service, what that may read, and their documentation. */
import { labelsOf, type Manifest } from "./manifest.ts";
import type { KindNames, MeterFacts, Program } from "./program.ts";

/** The Meter objects: with them the metering service observes what the operator bills. */
export function metersOf(program: Pick<Program, "name" | "meters">): readonly Manifest[] {
  return program.meters.map(({ name, spec }) => ({
    apiVersion: "metering.capstan.dev/v1alpha1",
    kind: "Meter",
    metadata: { name, labels: labelsOf(program) },
    spec,
  }));
}

/** A cluster role for the metering service; it aggregates to the role `capstan-metering-reader`. */
export function meterRoles(program: Pick<Program, "name" | "meters">): readonly Manifest[] {
  const kinds = program.meters.flatMap(({ kind }) => (kind === undefined ? [] : [kind]));
  const byGroup = Map.groupBy(kinds, ({ group }) => group);
  if (byGroup.size === 0) return [];
  const labels = { ...labelsOf(program), "metering.capstan.dev/aggregate-to-reader": "true" };
  return [
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: `${program.name}-metering`, labels },
      rules: [...byGroup].map(([group, members]) => ({
        apiGroups: [group],
        resources: pluralsOf(members),
        verbs: ["get", "list", "watch"],
      })),
    },
  ];
}

function pluralsOf(kinds: readonly KindNames[]): string[] {
  return [...new Set(kinds.map(({ plural }) => plural))].sort();
}

/** A chapter about the meters; empty without any. */
export function meterReference(meters: readonly MeterFacts[]): string {
  if (meters.length === 0) return "";
  const rows = meters.map(({ name, spec, kind }) => {
    const counted =
      kind === undefined ? "what the operator records" : `\`${spec.objects?.value ?? ""}\` of ${kind.kind}`;
    const dimensions = [...Object.keys(spec.objects?.dimensions ?? {}), ...(spec.dimensions ?? [])];
    return `| \`${name}\` | ${spec.type} | ${spec.unit} | ${counted} | ${dimensions.join(", ")} |\n`;
  });
  return `## Meters\n\nWhat is billable, for \`capstan meter\`.\n\n| meter | type | unit | counts | dimensions |\n|---|---|---|---|---|\n${rows.join("")}`;
}
