/** The shape of another language's strings: every key of the English ones, without the singular forms that it may not have. */
export type Translation<English> = { [Key in keyof English as Key extends `${string}_one` ? never : Key]: string };
