/** The folder of everything that pods leave on disk: below the cluster's data, or one that goes with the cluster. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder in use. */
export interface StateFolder {
  readonly folder: string;
  close(): Promise<void>;
}

/** Opens the folder; without a place for data it is a new one, and is removed in the end. */
export async function openState(data: string | undefined): Promise<StateFolder> {
  if (data === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "capstan-"));
    return { folder, close: () => rm(folder, { recursive: true, force: true }) };
  }
  const folder = join(data, "pods");
  await mkdir(folder, { recursive: true });
  return { folder, close: async () => {} };
}
