/** The images that the tests of a list ask for: those of a folder, or made here. */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { buildConformanceImages, COMMON_CONFORMANCE_IMAGES, showProgress } from "@capstan/kubernetes";

/** Lists with tests that need only the quickly built images. */
const modest: ReadonlySet<string> = new Set(["fast", "api-only"]);

/** The paths of OCI archives; a folder that is given is taken as it is. */
export async function imagesFor(list: string, folder: string | undefined): Promise<readonly string[]> {
  if (folder !== undefined) return archivesIn(folder);
  const only = modest.has(list) ? COMMON_CONFORMANCE_IMAGES : undefined;
  return buildConformanceImages(showProgress(process.stderr), only);
}

function archivesIn(folder: string): readonly string[] {
  const archives = readdirSync(folder).filter((name) => name.endsWith(".tar"));
  if (archives.length === 0) throw new TypeError(`there is no OCI archive (*.tar) in ${folder}`);
  return archives.map((name) => resolve(folder, name));
}
