/** Keeps what a package's first entry loads in two files: each file more costs whoever imports the package 0.4 ms. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import type { BuildOptions, Plugin } from "esbuild";

/**
 * The options of a build with this in them. Code that is shared gets a file for each set of entries that share it, also where one of
 * them is never without the other: parts that are loaded late find the first entry there already. So every other entry is said to
 * import the first one. It is an import for its effects, of which there are none, so it leaves no trace but in the cut.
 */
export async function asOne(
  options: BuildOptions & { entryPoints: string[]; absWorkingDir: string },
): Promise<BuildOptions> {
  const { absWorkingDir, entryPoints } = options;
  const first = join(absWorkingDir, entryPoints[0] ?? "");
  const { metafile } = await build({ ...options, metafile: true, write: false });
  const entries = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  const others = new Set(entries.map((entry) => join(absWorkingDir, entry)).filter((entry) => entry !== first));
  const importsFirst: Plugin = {
    name: "imports-first",
    setup: (building) =>
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        others.has(path)
          ? { contents: `${await readFile(path, "utf8")}\nimport ${JSON.stringify(first)};`, loader: "ts" }
          : undefined,
      ),
  };
  const logOverride = { "ignored-bare-import": "silent" } as const;
  return { ...options, plugins: [importsFirst], logOverride };
}
