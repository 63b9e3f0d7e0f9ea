/** Warnings about paths of one volume that are written twice, or that are both a file and a directory. */
import type { Volume, VolumeProjection } from "@capstan/kinds/v1";
import { quote } from "@capstan/model";

interface File {
  readonly path: string;
  readonly source: string;
}

export function overlapWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap((volume) => {
    const { name, configMap, secret, downwardAPI, projected } = volume;
    const about = (what: string, files: readonly File[]): string[] =>
      overlaps(files).map((text) => `volume ${quote(name)} (${what}): overlapping paths: ${text}`);
    return [
      ...about(`ConfigMap ${quote(configMap?.name ?? "")}`, filesOf(configMap?.items)),
      ...about(`Secret ${quote(secret?.secretName ?? "")}`, filesOf(secret?.items)),
      ...about("DownwardAPI", filesOf(downwardAPI?.items)),
      ...(projected?.sources ?? [])
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${quote(name)} (Projected) has no sources provided`),
      ...about("Projected", (projected?.sources ?? []).flatMap(projectedFiles)),
    ];
  });
}

function filesOf(items: readonly { readonly path: string }[] | undefined, source = ""): File[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

function projectedFiles({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): File[] {
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${quote(configMap.name ?? "")}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${quote(secret.name ?? "")}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, "DownwardAPI");
  return serviceAccountToken === undefined ? [] : filesOf([serviceAccountToken], "ServiceAccountToken");
}

/** Each file is compared with at most this many before it: a response holds only a few warnings. */
const maxCompared = 200;

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

function overlaps(files: readonly File[]): string[] {
  const trimmed = files.map(({ path, source }) => ({ path: withoutSlashes(path), source }));
  return trimmed.flatMap((file, index) =>
    trimmed
      .slice(0, Math.min(index, maxCompared))
      .filter((other) => isOverlap(file.path, other.path))
      .map((other) => `${describe(file)} with ${describe(other)}`),
  );
}

function isOverlap(a: string, b: string): boolean {
  return a !== "" && b !== "" && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
}

function describe({ path, source }: File): string {
  return source === "" ? quote(path) : `${quote(path)} (${source})`;
}
