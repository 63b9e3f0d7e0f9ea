/** The steps of admission, in the order of kube-apiserver. */
import type { AdmissionStep } from "./admission.ts";

/** The chain that is on by default. */
export const admissionSteps: readonly AdmissionStep[] = [];
