/** `npm run build`: declarations by the compiler, and each package's code as few files, so that importing it is quick. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { asOne } from "./build/as-one.ts";
import { entriesOf, type PackedManifest } from "./build/entries.ts";

/** Not bundled, because it starts a program by the path of a file. */
const unbundled = new Set(["packages/node"]);

/** Packages of every operator: their other entries are never used without the first. */
const oftenImported = new Set(["packages/client", "packages/runtime"]);

execFileSync("node_modules/.bin/tsc", ["--build", "tsconfig.build.json"], { stdio: "inherit" });
for (const folder of globSync("packages/*/tsconfig.build.json").map(dirname).sort()) {
  if (!unbundled.has(folder))
    await bundle(
      folder,
      entriesOf(manifestOf(folder), (pattern) => findIn(folder, pattern)),
    );
}
for (const folder of globSync("apps/*")) await bundle(folder, findIn(folder, "./src/**/main.ts"));

function manifestOf(folder: string): PackedManifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as PackedManifest;
}

function findIn(folder: string, pattern: string): string[] {
  return globSync(pattern, { cwd: folder });
}

/** One file for each entry, and one for what is loaded late or shared; other packages stay external. */
async function bundle(folder: string, entryPoints: string[]): Promise<void> {
  const options = {
    absWorkingDir: join(process.cwd(), folder),
    entryPoints,
    outdir: "dist",
    outbase: "src",
    chunkNames: "chunks/[name]-[hash]",
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node22",
    charset: "utf8",
    legalComments: "inline",
    sourcemap: "linked",
    sourcesContent: false,
    logLevel: "warning",
  } as const;
  const { metafile } = await build({ ...(oftenImported.has(folder) ? await asOne(options) : options), metafile: true });
  const written = new Set(Object.keys(metafile.outputs));
  for (const file of globSync("dist/**/*.{js,js.map}", { cwd: folder })) {
    if (!written.has(file) && existsSync(join(folder, file))) rmSync(join(folder, file));
  }
}
