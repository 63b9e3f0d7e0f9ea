/** The folder of everything that pods leave on disk: below the cluster's data, or one that goes with the cluster. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder in use. */
export interface StateFolder {
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the folder; without a place for it, it is a new one, and is removed in the end. */
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

/** With those above it. What Node itself does for this never ends where nothing can be made, as below /proc. */
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
