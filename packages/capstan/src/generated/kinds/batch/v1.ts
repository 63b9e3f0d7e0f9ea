export * from "@capstan/kinds/batch/v1";
