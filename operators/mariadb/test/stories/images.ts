/** The operator's image, which contains the agent of backup pods. */
import { join } from "node:path";
import { buildNodeImage } from "@capstan/kubernetes";
import { build } from "esbuild";

export const OPERATOR_IMAGE = "capstan.test/mariadb-operator:1";

/** Bundles the whole operator into one file and puts it in an image; returns the path of its archive. */
export async function buildOperatorImage(folder: string): Promise<string> {
  const program = join(folder, "operator.mjs");
  await build({
    entryPoints: [join(import.meta.dirname, "../../src/main.ts")],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    conditions: ["@capstan/source"],
    // Some dependencies are CommonJS and load Node's modules with `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  const archive = join(folder, "operator.tar");
  await buildNodeImage({ reference: OPERATOR_IMAGE, program, archive });
  return archive;
}
