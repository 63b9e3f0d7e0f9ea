/** Compares each package's tsconfig.build.json with its package.json, so that `tsc --build` builds packages in the right order. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Finding } from "./findings.ts";
import type { Manifest } from "./layers.ts";

export function checkReferences(manifests: readonly Manifest[]): Finding[] {
  const published = manifests.filter(({ room }) => room.startsWith("packages/"));
  const rooms = new Map(published.map(({ name, room }) => [name, room]));
  return published.flatMap((manifest) => {
    const file = `${manifest.room}/tsconfig.build.json`;
    if (!existsSync(file))
      return [{ file, problem: "is missing", cure: "copy one from a neighbour and name the packages it needs" }];
    const wanted = manifest.dependencies
      .flatMap((name) => rooms.get(name) ?? [])
      .map((room) => `../${basename(room)}/tsconfig.build.json`);
    const { references = [] } = JSON.parse(readFileSync(file, "utf8")) as { references?: { path: string }[] };
    const got = references.map(({ path }) => path);
    const missing = wanted
      .filter((path) => !got.includes(path))
      .map((path) => ({ file, problem: `lacks a reference to ${path}`, cure: "add it" }));
    const idle = got
      .filter((path) => !wanted.includes(path))
      .map((path) => ({ file, problem: `refers to ${path} without need`, cure: "remove it" }));
    return [...missing, ...idle];
  });
}
