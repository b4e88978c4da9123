/** The variable that names catalogues of integrations. */
import { z } from 'zod';

/** Catalogues of integrations separated by commas: addresses, and paths of files. One is not quoted: it may hold a secret. */
export const catalogueSources = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written, index) => {
      const source = written.trim();
      const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
      const fits = isAddress
        ? /^https?:/i.test(source) && URL.canParse(source) && !/^[^/]*\/\/[^/]*@/.test(source)
        : source !== '';
      if (fits) return [source];
      context.addIssue(
        `number ${index + 1} is neither an http or https address (without user and password) nor a path`,
      );
      return [];
    }),
  )
  .default([]);
