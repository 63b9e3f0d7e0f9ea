/** Strips types from sources in a separate process. */
import { fork } from "node:child_process";
import { CliError } from "../errors.ts";
import { ownProgram } from "../place.ts";

/** The stripped texts, or the error of one source. */
export type Stripped = { readonly texts: readonly string[] } | { readonly why: string; readonly at: number };

/** Sources without their types; lines and columns do not move. */
export async function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  if (sources.length === 0) return [];
  const child = fork(ownProgram("image/stripper/main"), {
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  const said = await new Promise<Stripped>((resolve) => {
    child.once("message", (message) => resolve(message as Stripped));
    child.once("exit", (code) => resolve({ why: `Node ended with exit code ${code ?? "none"}`, at: 0 }));
    child.once("error", (error) => resolve({ why: error.message, at: 0 }));
    child.send([...sources]);
  });
  if ("texts" in said) return said.texts;
  const [first = ""] = (sources[said.at] ?? "").split("\n", 1);
  throw new CliError(
    "BadInput",
    `cannot take the types out of the file that begins with ${JSON.stringify(first)}: ${said.why.split("\n", 1)[0]}`,
  );
}
