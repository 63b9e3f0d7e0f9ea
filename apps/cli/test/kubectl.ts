/** The real kubectl, built from its Go module the first time. */
import { buildPrograms, DEFAULT_RELEASE, kubernetesProgram, programPath, showProgress } from "@capstan/kubernetes";

/** The path of the program. */
export async function realKubectl(): Promise<string> {
  const program = kubernetesProgram("kubectl", DEFAULT_RELEASE.kubernetes);
  await buildPrograms([program], showProgress(process.stderr));
  return programPath(program);
}
