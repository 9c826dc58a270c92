import type { Answer } from '../route.js';

/**
 * Answer to a change that causes a check.
 * @param checked  whether the check has ended: 200, else 202
 * @param location path of the result of a check that has not ended
 */
export const checkedAnswer = (checked: boolean, location: string, body: unknown): Answer => ({
  status: checked ? 200 : 202,
  headers: checked ? {} : { Location: location },
  body,
});
