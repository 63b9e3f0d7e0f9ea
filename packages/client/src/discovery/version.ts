/** The server's version. */

/** The response of `/version`. */
export interface VersionResponse {
  readonly major?: string;
  readonly minor?: string;
  readonly gitVersion?: string;
}

/** A version as numbers. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  readonly gitVersion: string;
}

/** Parses a version; some vendors write "27+". */
export function parseVersion(answer: VersionResponse): ServerVersion | undefined {
  const major = Number.parseInt(answer.major ?? "", 10);
  const minor = Number.parseInt(answer.minor ?? "", 10);
  if (Number.isNaN(major) || Number.isNaN(minor)) return undefined;
  return { major, minor, gitVersion: answer.gitVersion ?? `v${major}.${minor}` };
}
