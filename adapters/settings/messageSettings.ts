import { senderOf, smtpServer, type MailSettings } from '../mail/mailSettings.js';
import { SettingsError } from './settingsError.js';

/** Settings of mails and of links in messages. */
export type MessageSettings = {
  /** Server and sender of mails; undefined when mails cannot be sent. */
  readonly mail?: MailSettings;
  /** Address of the screens for links in messages, without a slash at its end; undefined for no links. */
  readonly publicUrl?: string;
};

/**
 * The address of the screens.
 * @throws SettingsError without the value, which may contain a password
 */
export const readPublicUrl = (env: NodeJS.ProcessEnv): Pick<MessageSettings, 'publicUrl'> => {
  const text = env['PUBLIC_URL'];
  if (text === undefined) return {};
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && url.username === '' && url.password === '' && !/[?#\s]/.test(text);
  if (!isPlain || !/^https?:\/\/[^/]/i.test(text))
    throw new SettingsError(
      'PUBLIC_URL: expected an http or https address without password, query and fragment: https://daybook.example.org',
    );
  return { publicUrl: url.href.replace(/\/+$/, '') };
};

/**
 * Server and sender of mails.
 * @throws SettingsError without the address, which may contain a password
 */
export const readMail = (env: NodeJS.ProcessEnv): Pick<MessageSettings, 'mail'> => {
  const { SMTP_URL: server, MAIL_FROM: sender } = env;
  if (server === undefined && sender === undefined) return {};
  if (server === undefined || sender === undefined)
    throw new SettingsError('SMTP_URL and MAIL_FROM: got one of them, expected both or neither');
  const smtp = smtpServer(server);
  if (!smtp)
    throw new SettingsError(
      'SMTP_URL: expected smtps://user:password@host:port or smtp://…, special characters percent-encoded',
    );
  const from = senderOf(sender);
  if (!from)
    throw new SettingsError(
      `MAIL_FROM: got "${sender}", expected daybook@example.org or Daybook <daybook@example.org>`,
    );
  return { mail: { ...smtp, from } };
};
