/** The folder of everything that pods leave on disk: below the cluster's data, or one that goes with the cluster. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder in use. */
export interface StateFolder {
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the folder; without a place for it, it is a new one, and is removed in the end. */
export async function openState({
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
  await mkdir(state, { recursive: true });
  return { folder: state, close: async () => {} };
}
