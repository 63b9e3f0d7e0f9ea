/** Breaks a bundle in random ways: the same seed breaks it the same way. */
import { base, type Documents } from "./base.ts";

/** A source of numbers below a limit. */
export type Random = (limit: number) => number;

/** Numbers from a seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

/** A broken bundle, as texts by path. */
export function mutant(seed: number): Map<string, string> {
  const random = randomFrom(seed);
  const documents = structuredClone(base) as { [path: string]: unknown };
  for (let times = 1 + random(3); times > 0; times--) breakOne(documents, random);
  const files = new Map<string, string>();
  for (const [path, value] of Object.entries(documents)) files.set(path, `${JSON.stringify(value, undefined, 1)}\n`);
  if (random(12) === 0) breakFile(files, random);
  return files;
}

/** Most of what can go wrong does so in the ClusterServiceVersion. */
function breakOne(documents: { [path: string]: unknown }, random: Random): void {
  const paths = Object.keys(documents);
  const [csv = ""] = paths;
  const path = random(3) > 0 ? csv : (paths[random(paths.length)] ?? csv);
  const places = placesIn(documents[path]);
  const place = places[random(places.length)];
  if (place === undefined) return;
  const { holder, key } = place;
  const value = replacement((holder as { [key: string]: unknown })[key], random);
  if (value === gone) {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete (holder as { [key: string]: unknown })[key];
  } else (holder as { [key: string]: unknown })[key] = value;
}

interface Place {
  readonly holder: object;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    { holder: value, key },
    ...placesIn((value as { [key: string]: unknown })[key]),
  ]);
}

const gone = Symbol("gone");

const texts = [
  "",
  " ",
  "Not A Name",
  "UPPER",
  "-dash",
  "v1beta1",
  "v1",
  "1.2",
  "1.2.3",
  "v01.2.3",
  "1.2.3-rc.01",
  "1.2.3-rc.1+b.2",
  "x".repeat(70),
  "ann@",
  "Ann <ann@example.com>",
  "ann@example.com, bob@example.com",
  "not a url",
  "https://exa mple.com",
  "http://[::1",
  "/path",
  "registry.example.com/UPPER:tag",
  "image@sha256:1234",
  "a/b/c:tag@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "ä",
  "OwnNamespace",
  "0%",
  "100%",
  "policy/v1beta1",
  "rbac.authorization.k8s.io/v1beta1",
  "apiextensions.k8s.io/v1beta1",
  "PodSecurityPolicy",
  "Secret",
  "Pod",
  "[]",
  "[{}]",
  '[{"kind":"Cache","apiVersion":"example.com/v2"}]',
  '{"kind":"Cache"}',
  '[{"kind":"Cache",}]',
  "image/tiff",
  "Webhook",
  "*",
  "stable",
  "olm.gvk",
  "olm.package",
];

function replacement(old: unknown, random: Random): unknown {
  switch (random(8)) {
    case 0:
    case 1:
      return gone;
    case 2:
      return [null, 0, -1, 7, 3_000_000_000, true, false, 1.5][random(8)];
    case 3:
      return [[], {}, [""], ["a", "a"], { a: "b" }, [{}], [null]][random(7)];
    case 4:
      return Array.isArray(old) ? [...(old as unknown[]), ...(old as unknown[])] : old;
    default:
      return texts[random(texts.length)];
  }
}

function breakFile(files: Map<string, string>, random: Random): void {
  const paths = [...files.keys()];
  const path = paths[random(paths.length)] ?? "";
  const text = files.get(path) ?? "";
  switch (random(5)) {
    case 0:
      files.delete(path);
      break;
    case 1:
      files.set(path, "");
      break;
    case 2:
      files.set(path.replace(/([^/]+)$/, ".$1"), text);
      break;
    case 3:
      files.set(path.replace(/([^/]+)$/, "copy-$1"), text);
      break;
    default:
      files.set(path.replace(/([^/]+)$/, "below/$1"), text);
  }
}

/** The unchanged bundle. */
export function original(documents: Documents = base): Map<string, string> {
  return new Map(Object.entries(documents).map(([path, value]) => [path, `${JSON.stringify(value, undefined, 1)}\n`]));
}
