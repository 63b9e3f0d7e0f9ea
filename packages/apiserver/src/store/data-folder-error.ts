/** A folder that cannot hold the state of a server. */

/** `InUse`: another server uses it. `Unusable`: it cannot be created, read or written, or contains something else. */
export type DataFolderErrorCode = "InUse" | "Unusable";

/** Names the folder and the remedy. */
export class DataFolderError extends Error {
  override readonly name = "DataFolderError";
  readonly code: DataFolderErrorCode;
  readonly folder: string;

  constructor(code: DataFolderErrorCode, folder: string, cause: unknown) {
    super(sentence(code, folder, cause), { cause });
    this.code = code;
    this.folder = folder;
  }
}

function sentence(code: DataFolderErrorCode, folder: string, cause: unknown): string {
  switch (code) {
    case "InUse":
      return `another server keeps its state in ${folder}; stop that one, or name another folder`;
    case "Unusable":
      return `${folder} cannot hold the state of a server: ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}
