// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/codegen/identifiers.h"

#include <QRegularExpression>
#include <QSet>

namespace tutti::fomedit {

namespace {

QSet<QString> words(const char* text) {
  const QStringList list = QString::fromLatin1(text).split(u' ', Qt::SkipEmptyParts);
  return QSet<QString>(list.begin(), list.end());
}

// Keywords up to C++23, alternative tokens, and the words with a meaning of their own in some
// places.
constexpr const char* kKeywords =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast requires return "
    "short signed sizeof static static_assert static_cast struct switch template this thread_local "
    "throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t "
    "while "
    "xor xor_eq final override import module std types codec detail rti1516e main";

// Macros of the headers of C++, C, POSIX and HLA without a common beginning; each may be an
// enumerator's name.
constexpr const char* kMacros =
    "NULL EOF WEOF NAN INFINITY MAXFLOAT OVERFLOW UNDERFLOW DOMAIN SING PLOSS TLOSS BUFSIZ "
    "FILENAME_MAX FOPEN_MAX TMP_MAX RAND_MAX EXIT_SUCCESS EXIT_FAILURE MB_CUR_MAX TIME_UTC NSIG "
    "CLOCKS_PER_SEC BIG_ENDIAN LITTLE_ENDIAN PDP_ENDIAN BYTE_ORDER CSIGNAL NFDBITS FD_SETSIZE "
    "FD_SET "
    "FD_CLR FD_ISSET FD_ZERO NGREG MINSIGSTKSZ MATH_ERRNO MATH_ERREXCEPT R_OK W_OK X_OK F_OK "
    "STDIN_FILENO STDOUT_FILENO STDERR_FILENO TIMER_ABSTIME TEMP_FAILURE_RETRY stdin stdout stderr "
    "errno assert offsetof alloca unix linux i386 major minor makedev sigmask strdupa strndupa "
    "math_errhandling issubnormal setjmp va_start va_arg va_copy va_end min max DELETE ERROR IN "
    "OUT "
    "OPTIONAL CONST VOID TRUE FALSE "
    "E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD "
    "EBADMSG EBADR EBADRQC EBADSLT EBFONT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED "
    "ECONNREFUSED ECONNRESET EDEADLK EDEADLOCK EDESTADDRREQ EDOM EDOTDOT EDQUOT EEXIST EFAULT "
    "EFBIG "
    "EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR "
    "EISNAM "
    "EKEYEXPIRED EKEYREJECTED EKEYREVOKED EL2HLT EL2NSYNC EL3HLT EL3RST ELIBACC ELIBBAD ELIBEXEC "
    "ELIBMAX ELIBSCN ELNRNG ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG "
    "ENAVAIL "
    "ENETDOWN ENETRESET ENETUNREACH ENFILE ENOANO ENOBUFS ENOCSI ENODATA ENODEV ENOENT ENOEXEC "
    "ENOKEY "
    "ENOLCK ENOLINK ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS "
    "ENOTBLK ENOTCONN ENOTDIR ENOTEMPTY ENOTNAM ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ "
    "ENXIO "
    "EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE "
    "ERANGE "
    "EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH "
    "ESRMNT "
    "ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN EUNATCH EUSERS EWOULDBLOCK EXDEV "
    "EXFULL WNOHANG WUNTRACED WSTOPPED WEXITED WCONTINUED WNOWAIT WIFCONTINUED WIFSTOPPED "
    "WIFSIGNALED "
    "WIFEXITED WEXITSTATUS WSTOPSIG WTERMSIG";

// Whole families of them. A name that only looks like one gets an underscore too, which does no
// harm.
bool isOfMacroFamily(const QString& name) {
  static const QRegularExpression family(QStringLiteral(
      "^(SIG[A-Z0-9]+|(SIG|SIGEV|SI|SA|SS|SEGV|BUS|FPE|ILL|TRAP|CLD|POLL|FP|M|LC|CPU|CLONE|CLOCK|"
      "PTHREAD|ADJ|MOD|"
      "STA|REG|ATOMIC|SCHED|SEEK|RENAME|CLOSE|RTI|HLA|L|F|P|si|sa|pthread|sched|sigev)_\\w+|[A-Z0-"
      "9_]+_"
      "(MAX|MIN|WIDTH|C|NP)|HUGE_VAL\\w*|SNAN\\w*|(be|le)(16|32|64)toh|hto(be|le)(16|32|64))$"));
  return family.match(name).hasMatch();
}

/// A code point as it may stand in an identifier.
QString spelled(char32_t point) {
  const bool letter = (point >= U'a' && point <= U'z') || (point >= U'A' && point <= U'Z');
  if (letter || (point >= U'0' && point <= U'9'))
    return QString(QChar(static_cast<char16_t>(point)));
  if (point < 0x80) return QStringLiteral("_");
  return u'u' + QString::number(point, 16).toUpper().rightJustified(4, u'0');
}

}  // namespace

QString identifierOf(const QString& name) {
  QString spelt;
  for (const char32_t point : name.toUcs4()) {
    const QString whole = QString::fromUcs4(&point, 1);
    const QString parts = whole.normalized(QString::NormalizationForm_KD);
    const bool isAccented = point >= 0x80 && !parts.isEmpty() && parts[0].unicode() < 0x80 &&
                            parts[0].isLetterOrNumber();
    spelt += isAccented ? QString(parts[0]) : spelled(point);
  }
  QString result;
  for (const QChar c : spelt) {
    if (c == u'_' && (result.isEmpty() || result.back() == u'_')) continue;
    result += c;
  }
  while (result.endsWith(u'_') && !name.endsWith(u'_')) result.chop(1);
  if (result.isEmpty() || result == QStringLiteral("_")) return QStringLiteral("unnamed");
  if (result[0].isDigit()) result.prepend(u'n');
  static const QSet<QString> taken = words(kKeywords) + words(kMacros);
  if (taken.contains(result) || isOfMacroFamily(result)) {
    result += u'_';
  }
  return result;
}

QStringList identifiersOf(const QStringList& names, Distinct distinct, const QStringList& taken) {
  const auto key = [distinct](const QString& identifier) {
    return distinct == Distinct::IgnoringCase ? identifier.toLower() : identifier;
  };
  QSet<QString> used;
  for (const QString& word : taken) used.insert(key(word));
  QStringList result(names.size());
  // First those that keep their own name, so that none of them depends on the others.
  for (const bool own : {true, false}) {
    for (qsizetype i = 0; i < names.size(); ++i) {
      const QString wanted = identifierOf(names[i]);
      if ((wanted == names[i]) != own) continue;
      QString identifier = wanted;
      for (int n = 2; used.contains(key(identifier)); ++n) {
        identifier = (wanted.endsWith(u'_') ? wanted : wanted + u'_') + QString::number(n);
      }
      used.insert(key(identifier));
      result[i] = identifier;
    }
  }
  return result;
}

QString camelCase(const QString& id) {
  QString result;
  static const QRegularExpression separators(QStringLiteral("[^A-Za-z0-9]+"));
  for (const QString& word : id.split(separators, Qt::SkipEmptyParts)) {
    result += word.left(1).toUpper() + word.mid(1);
  }
  return result;
}

}  // namespace tutti::fomedit
