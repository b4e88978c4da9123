/** Prints the numbers of the messages in a mailbox with STARTTLS at a port of this machine: `read-starttls.ts PORT`. */
import { openMailbox } from '../../api/picture-mail/mailbox.ts';
import { starttlsAt } from './mail-world.ts';

const mailbox = await openMailbox(starttlsAt(Number(process.argv[2])), new AbortController().signal);
const uids = await mailbox.uidsAfter(0);
mailbox.close();
process.stdout.write(uids.join());
