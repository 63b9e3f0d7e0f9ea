/** The rules of resolution in another encoding and for another solver (MiniSat), to compare verdicts with. */
import type { Property } from "@capstan/bundle";
import { parseRange, parseVersion } from "@capstan/bundle";
import Logic from "logic-solver";
import type { RequestedSubscription, ResolutionInput, Selection } from "../src/index.ts";

interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly of: string;
  readonly channel: string;
  readonly catalog: string;
  readonly isSkipped: boolean;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
  readonly properties: readonly Property[];
}

/** Answers whether the input has a solution, and whether exactly these selections are one. */
export interface Oracle {
  readonly isSolvable: () => boolean;
  readonly isSolution: (selections: readonly Selection[]) => boolean;
}

export function oracleOf(input: ResolutionInput): Oracle {
  const candidates = [...installedCandidates(input), ...catalogCandidates(input)];
  const solver = new Logic.Solver();
  for (const one of candidates) requireCandidate(solver, { one, candidates, input });
  for (const members of groupsOf(candidates)) solver.require(Logic.atMostOne(...members));
  for (const one of input.subscriptions) solver.require(Logic.or(...fulfilling(one, candidates, input)));
  return {
    isSolvable: () => solver.solve() !== null,
    isSolution: (selections) => {
      const chosen = new Set(
        selections.map(({ catalog, channel, bundle }) => `${catalog.name}/${channel}/${bundle.name}`),
      );
      const fixed = candidates
        .filter(({ catalog }) => catalog !== "")
        .map(({ id }) => (chosen.has(id) ? id : Logic.not(id)));
      return solver.solveAssuming(Logic.and(...fixed)) !== null;
    },
  };
}

function requireCandidate(
  solver: InstanceType<typeof Logic.Solver>,
  { one, candidates, input }: { one: Candidate; candidates: readonly Candidate[]; input: ResolutionInput },
): void {
  // A variable has to occur to have a value.
  solver.require(Logic.or(one.id, Logic.not(one.id)));
  const isOwned = input.subscriptions.some(({ installedCSV }) => installedCSV === one.name);
  if (one.catalog === "" && !isOwned) solver.require(one.id);
  if (one.properties.some(({ type }) => type === "olm.deprecated")) solver.require(Logic.not(one.id));
  for (const property of one.properties) {
    const meets = meetingOf(property);
    if (meets === undefined) continue;
    const providers = candidates.filter((other) => !other.isSkipped && meets(other)).map(({ id }) => id);
    solver.require(Logic.or(Logic.not(one.id), ...providers));
  }
}

function meetingOf({ type, value }: Property): ((one: Candidate) => boolean) | undefined {
  const text = JSON.stringify(value);
  if (type === "olm.gvk.required")
    return ({ properties }) => properties.some((one) => one.type === "olm.gvk" && JSON.stringify(one.value) === text);
  if (type !== "olm.package.required") return undefined;
  const { packageName, versionRange } = JSON.parse(text) as { packageName: string; versionRange: string };
  const range = parseRange(versionRange);
  return ({ of, name }) => of === packageName && (range?.(versionIn(name)) ?? false);
}

function versionIn(name: string): NonNullable<ReturnType<typeof parseVersion>> {
  const version = parseVersion(`${name.replace(/^.*\.v/, "")}.0.0`);
  if (version === undefined) throw new Error(`${name} has no version`);
  return version;
}

function groupsOf(candidates: readonly Candidate[]): string[][] {
  const groups = new Map<string, string[]>();
  const add = (key: string, id: string): unknown => groups.set(key, [...(groups.get(key) ?? []), id]);
  for (const { id, of, properties } of candidates) {
    add(`package ${of}`, id);
    for (const { type, value } of properties) if (type === "olm.gvk") add(JSON.stringify(value), id);
  }
  return [...groups.values()];
}

function fulfilling(
  subscription: RequestedSubscription,
  candidates: readonly Candidate[],
  { installed }: ResolutionInput,
) {
  const { package: of, channel, startingCSV, catalog } = subscription;
  const current = installed.find(({ name }) => name === subscription.installedCSV)?.name;
  const own = candidates.filter(
    (one) => one.catalog === catalog.name && one.of === of && (channel === undefined || one.channel === channel),
  );
  const isNext = ({ name, replaces, skips, skipRange, isSkipped }: Candidate): boolean => {
    // A starting version is looked for alone, so nothing skips it.
    if (current === undefined) return startingCSV === undefined ? !isSkipped : name === startingCSV;
    const inRange = skipRange !== undefined && (parseRange(skipRange)?.(versionIn(current)) ?? false);
    return !isSkipped && (inRange || replaces === current || skips.includes(current));
  };
  const names = new Set(own.filter(isNext).map(({ name }) => name));
  const next = own.filter(({ name }) => names.has(name)).map(({ id }) => id);
  // An installed operator whose package has left the catalog fulfils nothing.
  return current === undefined || own.length === 0 ? next : [...next, `installed/${current}`];
}

function installedCandidates({ installed }: ResolutionInput): Candidate[] {
  return installed.map(({ name, properties }) => {
    const id = `installed/${name}`;
    return {
      id,
      name,
      of: name.replace(/\.v.*$/, ""),
      channel: "",
      catalog: "",
      isSkipped: false,
      skips: [],
      properties,
    };
  });
}

function catalogCandidates({ catalogs }: ResolutionInput): Candidate[] {
  return catalogs.flatMap((source) =>
    source.state === "failed"
      ? []
      : [...source.catalog.packages.values()].flatMap((member) =>
          [...member.channels.values()].flatMap((channel) => {
            const skipped = new Set([...channel.entries.values()].flatMap(({ skips }) => skips));
            return [...channel.entries.values()].map((entry) => ({
              ...entry,
              id: `${source.name}/${channel.name}/${entry.name}`,
              of: member.name,
              channel: channel.name,
              catalog: source.name,
              isSkipped: skipped.has(entry.name),
              properties: member.bundles.get(entry.name)?.properties ?? [],
            }));
          }),
        ),
  );
}
