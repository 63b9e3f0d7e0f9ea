/** The folder for all files of pods: below the cluster's data, or a temporary one. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** An open state folder. */
export interface StateFolder {
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the folder. Without a path it creates a temporary one and removes it on close. */
export async function openStateFolder({
  data,
  state = data === undefined ? undefined : join(data, "pods"),
}: {
  readonly data?: string;
  readonly state?: string;
}): Promise<StateFolder> {
  if (state === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "capstan-"));
    return { folder, close: () => rm(folder, { recursive: true, force: true }) };
  }
  await makeFolder(state);
  return { folder: state, close: async () => {} };
}

/** Creates the folder and its parents. Node's recursive mkdir never returns below /proc. */
async function makeFolder(path: string): Promise<void> {
  const code = await tryMkdir(path);
  if (code !== "ENOENT" || dirname(path) === path) return;
  await makeFolder(dirname(path));
  await mkdir(path);
}

async function tryMkdir(path: string): Promise<string | undefined> {
  return mkdir(path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
      return error.code;
    },
  );
}
