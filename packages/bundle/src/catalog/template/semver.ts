/** The semver template: channels for each stability and major or minor version, with edges that follow from the versions. */
import { quote, toGoJson, type Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../../decode/json.ts";
import { compareVersions, formatVersion, parseVersion, readVersion, type Version } from "../../semver.ts";
import type { ChannelBlob } from "../blobs.ts";
import { type CatalogConfig, emptyConfig } from "../config.ts";
import { CatalogError } from "../errors.ts";
import type { DescribedBundle } from "../describe-bundle.ts";
import type { ChannelEntry } from "../model.ts";
import { displayOf } from "../operator-folder.ts";
import type { RenderBundle } from "./template.ts";

/** Channels in ascending stability. */
const archetypes = ["candidate", "fast", "stable"] as const;

/** Streams in ascending preference. */
const streams = ["major", "minor"] as const;
type Stream = (typeof streams)[number];

interface Template {
  readonly streams: readonly Stream[];
  readonly preference: Stream;
  readonly images: { readonly [A in (typeof archetypes)[number]]: readonly string[] };
}

interface Member {
  readonly name: string;
  readonly version: Version;
}

/** A stream of channels whose edges are linked together: all minor channels of `stable`, for example. */
interface Track {
  readonly archetype: number;
  readonly stream: Stream;
  readonly members: readonly (Member & { readonly channel: string })[];
}

/** Renders the template. */
export async function renderSemver(document: JsonObject, renderBundle: RenderBundle): Promise<CatalogConfig> {
  const template = readTemplate(document);
  const bundles = new Map<string, DescribedBundle>();
  for (const image of archetypes.flatMap((archetype) => template.images[archetype]))
    if (!bundles.has(image)) bundles.set(image, await renderBundle(image));
  const [first] = bundles.values();
  if (first === undefined) throw bad("render: no bundles specified or no bundles could be rendered");
  const packageName = first.blob.package;
  const tracks = tracksOf(template, { bundles, packageName });
  const channels = tracks.flatMap((track) => link(track, packageName)).sort((a, b) => compareText(a.name, b.name));
  const defaultChannel = mostStable(tracks, template.preference);
  const head = channels.find(({ name }) => name === defaultChannel)?.entries.at(-1)?.name;
  const { csv = {} } = [...bundles.values()].find(({ blob }) => blob.name === head) ?? {};
  return {
    ...emptyConfig(),
    packages: [{ name: packageName, defaultChannel, ...displayOf(csv), properties: [] }],
    channels,
    bundles: [...bundles.values()].map(({ blob }) => blob),
  };
}

function bad(problem: string): CatalogError {
  return new CatalogError("BadTemplate", problem);
}

const keys = [
  "schema",
  "generatemajorchannels",
  "generateminorchannels",
  "defaultchanneltypepreference",
  ...archetypes,
];

/** Reads the template strictly: an unknown key is an error. */
function readTemplate(document: JsonObject): Template {
  const unknown = Object.keys(document).find((key) => !keys.some((known) => known === key.toLowerCase()));
  if (unknown !== undefined) throw bad(`render: unable to read file: json: unknown field ${quote(unknown)}`);
  const folded = Object.fromEntries(Object.entries(document).map(([key, value]) => [key.toLowerCase(), value]));
  const major = flag(folded, "generatemajorchannels");
  const minor = flag(folded, "generateminorchannels") || !major;
  const chosen: Stream[] = [...(major ? (["major"] as const) : []), ...(minor ? (["minor"] as const) : [])];
  const images = {
    candidate: imagesOf(folded["candidate"]),
    fast: imagesOf(folded["fast"]),
    stable: imagesOf(folded["stable"]),
  };
  return { streams: chosen, preference: preferenceOf(folded["defaultchanneltypepreference"], chosen), images };
}

function flag(template: JsonObject, key: string): boolean {
  const value = template[key] ?? false;
  if (typeof value === "boolean") return value;
  throw bad(`render: unable to read file: ${key} must be true or false`);
}

function preferenceOf(value: Json | undefined, chosen: readonly Stream[]): Stream {
  if (value === undefined || value === null || value === "") return chosen.includes("minor") ? "minor" : "major";
  const stream = streams.find((one) => one === value);
  if (stream === undefined)
    throw bad(
      `unknown DefaultChannelTypePreference: ${quote(typeof value === "string" ? value : toGoJson(value))}\nValid values are 'major' or 'minor'`,
    );
  if (chosen.includes(stream)) return stream;
  throw bad(
    `schema attribute mismatch: DefaultChannelTypePreference set to '${stream}' doesn't make sense if not generating ${stream}-version channels`,
  );
}

function imagesOf(value: Json | undefined): string[] {
  const folded = (item: Json | undefined, key: string): Json | undefined =>
    isObject(item) ? Object.entries(item).find(([name]) => name.toLowerCase() === key)?.[1] : undefined;
  const list = folded(value, "bundles") ?? [];
  if (!Array.isArray(list)) throw bad("render: unable to read file: bundles must be a list");
  return (list as readonly Json[]).map((item) => {
    const image = folded(item, "image");
    if (typeof image === "string" && image !== "") return image;
    throw bad("render: unable to read file: each bundle needs an image");
  });
}

interface Rendered {
  readonly bundles: ReadonlyMap<string, DescribedBundle>;
  readonly packageName: string;
}

function tracksOf(template: Template, rendered: Rendered): Track[] {
  return archetypes.flatMap((archetype, rank) => {
    const members = membersOf(template.images[archetype], rendered);
    return template.streams.map((stream) => ({
      archetype: rank,
      stream,
      members: members.map((member) => ({ ...member, channel: channelName(archetype, stream, member.version) })),
    }));
  });
}

function channelName(archetype: string, stream: Stream, { major, minor }: Version): string {
  return stream === "major" ? `${archetype}-v${major}` : `${archetype}-v${major}.${minor}`;
}

/** The bundles of one stability in ascending order of their versions. */
function membersOf(images: readonly string[], { bundles, packageName }: Rendered): Member[] {
  const members = new Map<string, Member>();
  for (const image of images) {
    const { blob, version: text } = bundles.get(image) ?? {};
    if (blob === undefined || text === undefined) continue;
    const reading = readVersion(text);
    if ("problem" in reading)
      throw bad(`render: bundle ${quote(blob.name)} has invalid version ${quote(text)}: ${reading.problem}`);
    if (blob.package !== packageName)
      throw bad(`render: bundle ${quote(blob.package)} does not belong to this package: ${quote(packageName)}`);
    if (members.has(blob.name)) throw bad(`render: duplicate bundle name ${quote(blob.name)}`);
    members.set(blob.name, { name: blob.name, version: reading.version });
  }
  const sorted = [...members.values()].sort((a, b) => compareVersions(a.version, b.version));
  rejectBuilds(sorted);
  return sorted;
}

function rejectBuilds(members: readonly Member[]): void {
  const same = members.flatMap(({ version }, at) => {
    const previous = members[at - 1]?.version;
    if (previous === undefined || compareVersions(previous, version) !== 0) return [];
    const bare = formatVersion({ ...version, build: [] });
    return [`bundle version ${quote(formatVersion(version))} cannot be compared to ${quote(bare)}`];
  });
  if (same.length === 0) return;
  const list = same.length === 1 ? same.join() : `[${same.join(", ")}]`;
  throw bad(
    `render: unable to post-process bundle info: encountered bundle versions which differ only by build metadata, which cannot be ordered: ${list}`,
  );
}

/** Only the newest patch of a minor version gets edges: it replaces the newest of the minor version below, and skips all others below. */
function link({ members }: Track, packageName: string): ChannelBlob[] {
  const channels = new Map<string, ChannelEntry[]>();
  let below: string[] = [];
  let replaces = "";
  for (const [at, { name, version, channel }] of members.entries()) {
    const next = members[at + 1]?.version;
    const endsMajor = next === undefined || next.major !== version.major;
    const endsMinor = endsMajor || next.minor !== version.minor;
    const skips = below.filter((one) => one !== replaces).sort(compareText);
    const edges = endsMinor ? { ...(replaces === "" ? {} : { replaces }), skips } : { skips: [] };
    channels.set(channel, [...(channels.get(channel) ?? []), { name, ...edges }]);
    if (endsMinor) replaces = name;
    below.push(name);
    if (endsMajor) [below, replaces] = [[], ""];
  }
  return [...channels].map(([name, entries]) => ({ name, package: packageName, entries, properties: [] }));
}

const lowest = parseVersion("0.0.0");

/** The channel of the highest stability, then of the highest version at which a channel begins, then of the preferred stream. */
function mostStable(tracks: readonly Track[], preference: Stream): string {
  let best = { archetype: 0, rank: -1, version: lowest, channel: "" };
  for (const { archetype, stream, members } of tracks) {
    const rank = stream === preference ? streams.length : streams.indexOf(stream);
    const begins = members.filter(({ channel }, at) => members.findIndex((one) => one.channel === channel) === at);
    for (const { channel, version } of begins) {
      const order = best.version === undefined ? 1 : compareVersions(version, best.version);
      if (
        archetype > best.archetype ||
        (archetype === best.archetype && (order > 0 || (order === 0 && rank > best.rank)))
      )
        best = { archetype, rank, version, channel };
    }
  }
  return best.channel;
}
